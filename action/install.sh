#!/usr/bin/env bash
# Makes sure that there is an mcp-pin: the one on the PATH, or the one of the action's own revision.
set -euo pipefail

case ${INPUT_MODE:-check} in
check | update | propose) ;;
*)
  printf '::error title=mcp-pin::the mode is check, update or propose\n'
  exit 2
  ;;
esac

if ! command -v mcp-pin >/dev/null; then
  root=$RUNNER_TEMP/mcp-pin-installed
  # Not in the checkout: its rust-toolchain.toml and .cargo/config.toml say what rustup and cargo run.
  cd -- "$(mktemp -d "$RUNNER_TEMP/mcp-pin.XXXXXX")"
  cargo install --locked --quiet --path "$GITHUB_ACTION_PATH" --root "$root"
  printf '%s\n' "$root/bin" >>"$GITHUB_PATH"
  PATH=$root/bin:$PATH
fi
mcp-pin --version
