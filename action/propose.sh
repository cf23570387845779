#!/usr/bin/env bash
# Opens or renews the one pull request that proposes a lockfile. Starts no server: what was handed over is verified
# against the configuration that is checked out, and nothing but the lockfile is committed.
# shellcheck source=action/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

proposed=${INPUT_PROPOSED:-}
branch=${INPUT_BRANCH:-mcp-pin/update}
base=${INPUT_BASE:-}
title=${INPUT_TITLE:-Pin what the MCP servers say now}

[[ -n $proposed ]] || fail 'name the lockfile that the update handed over: proposed'
[[ -f $proposed && ! -L $proposed ]] || fail 'there is no such lockfile to propose'
[[ ! -L $lockfile ]] || fail 'the lockfile of the project is a link'
[[ -n $base ]] || fail 'name the branch that the pull request is for: base'
git check-ref-format "refs/heads/$branch" && [[ $branch != -* ]] || fail 'that is no name of a branch'
git check-ref-format "refs/heads/$base" && [[ $base != -* ]] || fail 'that is no name of a base'
[[ $branch != "$base" ]] || fail 'a proposal needs a branch of its own'

cp -- "$proposed" "$lockfile"
status=0
mcp-pin verify "${project[@]}" --format github \
  --output "human=$reports/log" --output "markdown=$reports/report" || status=$?
[[ ! -f $reports/log ]] || log "$reports/log"
((status == 0)) || exit "$status"

git add -- "$lockfile"
if git diff --cached --quiet -- "$lockfile"; then
  printf 'nothing to propose: the lockfile is the one of %s\n' "$base"
  output proposed false
  exit 0
fi

# By its hash, and the file by a path: the names of files and branches that are checked out can mean neither.
file=$lockfile
[[ $file == /* ]] || file=./$file
mcp-pin diff "$(git rev-parse HEAD)" "$file" --lockfile "$lockfile" \
  --output "markdown=$reports/difference" >"$reports/log" 2>&1 || status=$?
log "$reports/log"
((status <= 1)) || fail 'what the proposal changes could not be found out'

# GitHub takes 65,536 characters. The difference has at most 65,000, so what stands around it is short, or left out.
{
  printf '%s\n' 'The MCP servers of this project say something else than what was approved.' '' \
    'Read the difference of the lockfile as you would read code: it is what your agents will be told. Close this if it' \
    'is not meant; merge it to approve it. Each run of the job renews it.' ''
  cat -- "$reports/difference"
  printf '\n%s\n' 'The lockfile is sound and belongs to the configuration: `mcp-pin verify`.'
  if (($(cat -- "$reports/difference" "$reports/report" | wc -c) < 60000)); then
    printf '\n'
    cat -- "$reports/report"
  fi
} >"$reports/body"

# A branch that proposes the same on the same files stays as it is, with the reviews that it has.
remote=$(git ls-remote origin "refs/heads/$branch" | cut -f1)
tree=$(git write-tree)
if [[ -n $remote ]]; then
  git fetch --quiet --depth=1 origin "refs/heads/$branch"
  same=$(git rev-parse 'FETCH_HEAD^{tree}')
fi
if [[ ${same:-} != "$tree" ]]; then
  commit=$(
    export GIT_AUTHOR_NAME='github-actions[bot]' GIT_COMMITTER_NAME='github-actions[bot]'
    export GIT_AUTHOR_EMAIL='41898282+github-actions[bot]@users.noreply.github.com'
    export GIT_COMMITTER_EMAIL=$GIT_AUTHOR_EMAIL
    git commit-tree "$tree" -p HEAD -m "$title"
  )
  # Only over what was seen: somebody else's push in between is kept.
  git push --quiet --force-with-lease="refs/heads/$branch:$remote" origin "$commit:refs/heads/$branch"
fi

# A fork may have a branch of that name and a pull request from it: that one isn't ours to renew.
url=$(gh pr list --state open --head "$branch" --base "$base" --limit 100 --json url,isCrossRepository \
  --jq 'map(select(.isCrossRepository | not)) | .[0].url // empty')
if [[ -n $url ]]; then
  gh pr edit "$url" --title "$title" --body-file "$reports/body" >/dev/null
else
  url=$(gh pr create --head "$branch" --base "$base" --title "$title" --body-file "$reports/body")
fi
summary "$reports/body"
output proposed true
output pull-request "$url"
