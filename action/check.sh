#!/usr/bin/env bash
# Reads the servers and compares: annotations, the report in the log, a summary of the job, and SARIF.
# shellcheck source=action/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

sarif=${INPUT_SARIF:-mcp-pin.sarif}
revision=()
[[ -z ${INPUT_REVISION:-} ]] || revision=(--base="$INPUT_REVISION")
for file in .mcp.json mcp-pin.toml "${project[@]}"; do
  [[ ! $sarif -ef $file ]] || fail 'the SARIF file is one that the check reads'
done
# What lies there already, such as a committed one, isn't what this run finds. It is put back if nothing is written.
[[ ! -f $sarif && ! -L $sarif ]] || mv -- "$sarif" "$reports/before"
status=0
mcp-pin check "${project[@]}" ${revision[@]+"${revision[@]}"} --format github \
  --output "human=$reports/log" --output "markdown=$reports/summary" --output "sarif=$sarif" \
  ${servers[@]+"${servers[@]}"} || status=$?

[[ ! -f $reports/log ]] || log "$reports/log"
summary "$reports/summary"
output status "$status"
if [[ -f $sarif && ! -L $sarif ]]; then
  output sarif "${INPUT_WORKING_DIRECTORY:+$INPUT_WORKING_DIRECTORY/}$sarif"
elif [[ -f $reports/before || -L $reports/before ]]; then
  mv -- "$reports/before" "$sarif"
fi
exit "$status"
