#!/usr/bin/env bash
# Reads the servers and compares: annotations, the report in the log, a summary of the job, and SARIF.
# shellcheck source=action/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

sarif=${INPUT_SARIF:-mcp-pin.sarif}
revision=()
[[ -z ${INPUT_REVISION:-} ]] || revision=(--base="$INPUT_REVISION")
status=0
mcp-pin check "${project[@]}" ${revision[@]+"${revision[@]}"} --format github \
  --output "human=$reports/log" --output "markdown=$reports/summary" --output "sarif=$sarif" \
  ${servers[@]+"${servers[@]}"} || status=$?

[[ ! -f $reports/log ]] || log "$reports/log"
summary "$reports/summary"
output status "$status"
[[ ! -f $sarif ]] || output sarif "${INPUT_WORKING_DIRECTORY:+$INPUT_WORKING_DIRECTORY/}$sarif"
exit "$status"
