#!/usr/bin/env bash
# Pins what the servers say now, and hands over the lockfile and nothing else. The servers run here, so whatever this job
# could write is no more to be trusted than they are: the next job verifies what it gets.
# shellcheck source=action/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

before=$reports/before
[[ ! -f $lockfile ]] || cp -- "$lockfile" "$before"
status=0
mcp-pin pin --yes "${project[@]}" --format github \
  --output "human=$reports/log" --output "markdown=$reports/summary" ${servers[@]+"${servers[@]}"} || status=$?

[[ ! -f $reports/log ]] || log "$reports/log"
summary "$reports/summary"
output status "$status"
((status == 0)) || exit "$status"

if [[ -f $before ]] && cmp -s -- "$before" "$lockfile"; then
  output changed false
  exit 0
fi
handover=${RUNNER_TEMP:-$reports}/mcp-pin-handover
rm -rf -- "$handover"
mkdir -- "$handover"
cp -- "$lockfile" "$handover/mcp-tools.lock"
output changed true
output lockfile "$handover/mcp-tools.lock"
