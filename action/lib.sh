# shellcheck shell=bash
# What the steps of the action share. Inputs come in variables that begin with INPUT_, never as text of a script.
set -euo pipefail

fail() {
  printf '::error title=mcp-pin::%s\n' "$1"
  exit 2
}

# output NAME VALUE: an output of the step. A line break could add another one.
output() {
  case $2 in
  *$'\n'* | *$'\r'*) fail "the value of $1 has a line break" ;;
  esac
  printf '%s=%s\n' "$1" "$2" >>"$GITHUB_OUTPUT"
}

# Prints a file into the log without anything in it acting as a command of the workflow.
log() {
  local token
  token=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
  printf '::stop-commands::%s\n' "$token"
  cat -- "$1"
  printf '\n::%s::\n' "$token"
}

# Appends a page to the job's summary.
summary() { [[ ! -f $1 ]] || cat -- "$1" >>"$GITHUB_STEP_SUMMARY"; }

# The words that every command gets: `project` says where the project is, `servers` which servers are meant.
arguments() {
  local line
  lockfile=${INPUT_LOCKFILE:-mcp-tools.lock}
  project=(--lockfile "$lockfile")
  while IFS= read -r line; do
    [[ -z $line ]] || project+=(--config "$line")
  done <<<"${INPUT_CONFIGS:-}"
  servers=()
  while IFS= read -r line; do
    [[ -z $line ]] || servers+=("$line")
  done <<<"${INPUT_SERVERS:-}"
}

cd -- "${INPUT_WORKING_DIRECTORY:-.}"
arguments
reports=$(mktemp -d "${RUNNER_TEMP:-${TMPDIR:-/tmp}}/mcp-pin.XXXXXX")
# shellcheck disable=SC2034 # read by the scripts that source this
readonly lockfile project servers reports
