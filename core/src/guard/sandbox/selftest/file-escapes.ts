import type { Escape } from "./escape.js";
import { laterFiles } from "../protected-names.js";

const hasProc = "test -d /proc/self";
const later = "; the user has to check this before it runs";

/** Escape attempts that use files. An attempt that prints `selftest-secret`, which the test files contain, has escaped. */
export const fileEscapes: readonly Escape[] = [
  {
    row: "1",
    what: "write a file in the home folder",
    script: 'echo x > "$USER_HOME/x"',
    leaves: { made: "~/x" },
    expected: "refused",
  },
  {
    ...{ row: "2", what: "append to ~/.bashrc", script: 'echo x >> "$USER_HOME/.bashrc"' },
    ...{ leaves: { changed: "~/.bashrc" }, expected: "refused" },
  },
  {
    ...{ row: "2b", what: "write startup files of shells and package managers", expected: "refused" },
    script:
      'for file in .npmrc .gitconfig .config/pip/pip.conf; do mkdir -p "$USER_HOME/$(dirname $file)"; echo x >> "$USER_HOME/$file"; done',
    leaves: { changed: "~/.npmrc" },
  },
  {
    ...{ row: "2c", what: "write the user's git settings", script: 'echo x >> "$USER_HOME/.gitconfig"' },
    ...{ leaves: { changed: "~/.gitconfig" }, expected: "refused" },
  },
  {
    ...{ row: "3", what: "write ~/.bashrc through a link in the workspace" },
    ...{ script: 'ln -s "$USER_HOME/.bashrc" "$PROJECT/link" && echo x >> "$PROJECT/link"' },
    ...{ leaves: { changed: "~/.bashrc" }, expected: "refused" },
  },
  {
    ...{ row: "4", what: "write a file through a hard link made in the workspace" },
    ...{ script: 'ln "$OUTSIDE/file" "$PROJECT/hard" && echo x >> "$PROJECT/hard"' },
    ...{ leaves: { changed: "outside/file" }, expected: "refused" },
  },
  {
    ...{ row: "5", what: "write a file through an existing hard link", script: 'echo x >> "$PROJECT/linked-before"' },
    ...{ leaves: { changed: "outside/linked" }, expected: "listed" },
  },
  {
    row: "6",
    what: "read by /proc/self/root",
    needs: hasProc,
    script: 'cat "/proc/self/root$OUTSIDE/file"',
    expected: "refused",
  },
  {
    row: "7",
    what: "read by /proc/1/root",
    needs: hasProc,
    script: 'cat "/proc/1/root$OUTSIDE/file"',
    expected: "refused",
  },
  {
    row: "8",
    what: "read through the root of the conductor's process",
    needs: hasProc,
    script: 'cat "/proc/$CONDUCTOR/root$OUTSIDE/file"',
    expected: "refused",
  },
  { row: "9", what: "read ~/.ssh", script: 'cat "$USER_HOME/.ssh/id_ed25519"', expected: "refused" },
  {
    ...{ row: "10", what: "read ~/.ssh through a link in the workspace", expected: "refused" },
    script: 'ln -s "$USER_HOME/.ssh" "$PROJECT/keys" && cat "$PROJECT/keys/id_ed25519"',
  },
  { row: "11", what: "read ~/.aws", script: 'cat "$USER_HOME/.aws/credentials"', expected: "refused" },
  { row: "12", what: "read ~/.npmrc", script: 'cat "$USER_HOME/.npmrc"', expected: "refused" },
  {
    ...{ row: "13", what: "add a git hook", script: 'echo x > "$PROJECT/.git/hooks/post-commit"' },
    ...{ leaves: { made: "project/.git/hooks/post-commit" }, expected: "refused" },
  },
  {
    ...{ row: "14", what: "rename .git and recreate it with a hook" },
    script:
      'mv "$PROJECT/.git" "$PROJECT/g2" && mkdir -p "$PROJECT/.git/hooks" && echo x > "$PROJECT/.git/hooks/pre-push"',
    ...{ leaves: { made: "project/.git/hooks/pre-push" }, expected: "refused" },
  },
  {
    ...{ row: "15", what: "set a program in git's configuration" },
    script: 'echo "[core] fsmonitor = x" > "$PROJECT/c" && mv "$PROJECT/c" "$PROJECT/.git/config"',
    ...{ leaves: { changed: "project/.git/config" }, expected: "refused" },
  },
  {
    ...{
      row: "15b",
      what: "set a program in the configuration of a submodule that has a path as its name",
      expected: "refused",
    },
    script:
      'cd "$PROJECT/.git/modules/third/party" && echo x > "$PROJECT/c"; echo x > config || mv -f "$PROJECT/c" config || { mv ../../third ../../old && mkdir -p ../../third/party && echo x > ../../third/party/config; }',
    leaves: { changed: "project/.git/modules/third/party/config" },
  },
  {
    ...{ row: "15c", what: "write a second git configuration file that the first one names", expected: "refused" },
    script: 'echo x > "$PROJECT/.git/modules/third/party/config.worktree"',
    leaves: { changed: "project/.git/modules/third/party/config.worktree" },
  },
  {
    ...{ row: "15d", what: "change git's configuration through a hard link", expected: "refused" },
    script: 'ln "$PROJECT/.git/config" "$PROJECT/linked-config" && echo x >> "$PROJECT/linked-config"',
    leaves: { changed: "project/.git/config" },
  },
  {
    ...{ row: "15e", what: "turn the folder into a repository by adding a HEAD file", expected: "refused" },
    script:
      'cd "$PROJECT" && echo "ref: refs/heads/x" > h && { echo "ref: refs/heads/x" > HEAD || mv -f h HEAD || { rm HEAD && mv h HEAD; }; }',
    leaves: { changed: "project/HEAD" },
  },
  {
    ...{ row: "15f", what: "set programs and hooks of a repository in a subfolder", expected: "refused" },
    script:
      'cd "$PROJECT" && echo x > c; echo x > lib/inner/.git/hooks/pre-commit; echo x > lib/inner/.git/config || mv -f c lib/inner/.git/config || { mv lib l && mkdir -p lib/inner/.git && echo x > lib/inner/.git/config; }',
    leaves: { changed: "project/lib/inner/.git/config" },
  },
  {
    ...{ row: "15g", what: "redirect a linked work tree in a subfolder to another repository", expected: "refused" },
    script:
      'cd "$PROJECT" && echo "gitdir: x" > g; echo "gitdir: x" > tree/.git || mv -f g tree/.git || { mv tree t && mkdir tree && mv g tree/.git; }',
    leaves: { changed: "project/tree/.git" },
  },
  {
    ...{ row: "15h", what: "change a file that git's configuration includes", expected: "refused" },
    script: 'cd "$PROJECT" && echo x > g; echo x > shared.gitconfig || mv -f g shared.gitconfig',
    leaves: { changed: "project/shared.gitconfig" },
  },
  {
    ...{
      row: "15i",
      what: "start a sandbox when .git and git's configuration are pipes",
      expected: "works",
    },
    script: 'cd "$PROJECT" && test -p piped/.git && test -p lib/pipe/.git/config && test -p .git/modules/pipe/config',
  },
  {
    ...{ row: "15j", what: "set a program of a repository whose data is in another folder", expected: "refused" },
    script:
      'cd "$PROJECT" && echo "gitdir: x" > g; echo x > apart.git/config || mv -f g lib/apart/.git || mv apart.git old.git',
    leaves: { changed: ["project/apart.git/config", "project/lib/apart/.git"] },
  },
  {
    ...{ row: "15k", what: "set a program of a repository whose .git is a link", expected: "refused" },
    script: 'cd "$PROJECT" && echo x > c; echo x > real.git/config || mv -f c real.git/config || mv real.git old.git',
    leaves: { changed: "project/real.git/config" },
  },
  {
    ...{ row: "16", what: `a new repository with a hook${later}`, expected: "listed" },
    script: 'mkdir -p "$PROJECT/new/.git/hooks" && echo x > "$PROJECT/new/.git/hooks/pre-commit"',
    leaves: { made: "project/new/.git/hooks/pre-commit" },
  },
  {
    ...{ row: "17", what: "change VS Code tasks", script: 'echo x > "$PROJECT/.vscode/tasks.json"' },
    ...{ leaves: { made: "project/.vscode/tasks.json" }, expected: "refused" },
  },
  {
    ...{ row: "18", what: `VS Code tasks in a subfolder${later}`, expected: "listed" },
    script: 'mkdir -p "$PROJECT/sub/.vscode" && echo x > "$PROJECT/sub/.vscode/tasks.json"',
    leaves: { made: "project/sub/.vscode/tasks.json" },
  },
  {
    ...{ row: "19", what: "change .idea settings", script: 'echo x > "$PROJECT/.idea/workspace.xml"' },
    ...{ leaves: { made: "project/.idea/workspace.xml" }, expected: "refused" },
  },
  {
    ...{ row: "20", what: "change .envrc, including by a rename" },
    script:
      'echo x > "$PROJECT/e" && { echo x > "$PROJECT/.envrc" || mv -f "$PROJECT/e" "$PROJECT/.envrc" || { rm "$PROJECT/.envrc" && mv "$PROJECT/e" "$PROJECT/.envrc"; }; }',
    ...{ leaves: { changed: "project/.envrc" }, expected: "refused" },
  },
  {
    ...{ row: "21", what: `scripts of package.json${later}`, script: 'echo x > "$PROJECT/package.json"' },
    ...{ leaves: { made: "project/package.json" }, expected: "listed" },
  },
  {
    ...{ row: "22", what: "change Zed settings", script: 'echo x > "$PROJECT/.zed/settings.json"' },
    ...{ leaves: { made: "project/.zed/settings.json" }, expected: "refused" },
  },
  {
    ...{
      row: "23",
      what: "change Claude's workspace settings",
      script: 'echo x > "$PROJECT/.claude/settings.json"',
    },
    ...{ leaves: { changed: "project/.claude/settings.json" }, expected: "refused" },
  },
  {
    ...{ row: "24", what: "change .mcp.json", script: 'echo x > "$PROJECT/.mcp.json"' },
    ...{ leaves: { changed: "project/.mcp.json" }, expected: "refused" },
  },
  {
    ...{ row: "24b", what: "change each listed file that tools run later", expected: "refused" },
    script: `for file in ${laterFiles.join(" ")}; do echo x > "$PROJECT/$file"; rm -f "$PROJECT/$file"; done; mv "$PROJECT/.agents" "$PROJECT/agents2"; cd "$PROJECT"; for file in ${laterFiles.join(" ")}; do test -e "$file" || exit 0; done; exit 1`,
    leaves: { changed: laterFiles.map((name) => `project/${name}`) },
  },
  {
    ...{ row: "25", what: `a Makefile${later}`, script: 'echo x > "$PROJECT/Makefile"' },
    ...{ leaves: { made: "project/Makefile" }, expected: "listed" },
  },
  {
    ...{ row: "26", what: "change the agent's own settings", script: 'echo x > "$STATE/settings.json"' },
    ...{ leaves: { changed: "state/settings.json" }, expected: "refused" },
  },
  {
    ...{ row: "26b", what: "rename the agent's settings folder", script: 'mv "$STATE" "$STATE-old"' },
    ...{ leaves: { made: "~/.claude-old" }, expected: "refused" },
  },
  {
    ...{ row: "26c", what: "change the agent's own settings through their second mount", expected: "refused" },
    script: 'for folder in /run/symposium/*; do echo x > "$folder/settings.json"; done',
    leaves: { changed: "state/settings.json" },
  },
  {
    ...{
      row: "27",
      what: "write the guard's rules",
      script: 'mkdir -p "$USER_HOME/.symposium" && echo x > "$USER_HOME/.symposium/guard.jsonc"',
    },
    ...{ leaves: { changed: "~/.symposium/guard.jsonc" }, expected: "refused" },
  },
  {
    row: "28",
    what: "read Symposium's stored data",
    script: 'cat "$USER_HOME/.symposium/guard.jsonc"',
    expected: "refused",
  },
  {
    ...{ row: "29", what: "a unit of systemd", expected: "refused" },
    script: 'mkdir -p "$USER_HOME/.config/systemd/user" && echo x > "$USER_HOME/.config/systemd/user/x.service"',
    leaves: { made: "~/.config/systemd/user/x.service" },
  },
  {
    ...{ row: "30", what: "add a program that starts with the desktop", expected: "refused" },
    script: 'mkdir -p "$USER_HOME/.config/autostart" && echo x > "$USER_HOME/.config/autostart/x.desktop"',
    leaves: { made: "~/.config/autostart/x.desktop" },
  },
  { row: "62", what: "read the machine's shared memory", script: "cat /dev/shm/$MARKER", expected: "refused" },
  { row: "63", what: "read other programs' files in /tmp", script: "cat /tmp/$MARKER", expected: "refused" },
  {
    ...{
      row: "64",
      what: "a private TMPDIR",
      script: 'echo x > "$TMPDIR/own" && test -O "$TMPDIR"',
    },
    expected: "works",
  },
  {
    row: "69",
    what: "change permissions of a file outside the workspace",
    script: "chmod 777 /etc/hostname /usr/bin/env",
    expected: "refused",
  },
  {
    ...{
      row: "82",
      what: "change the workspace's guard rules",
      script: 'echo x > "$PROJECT/.symposium/guard.jsonc"',
    },
    ...{ leaves: { changed: "project/.symposium/guard.jsonc" }, expected: "refused" },
  },
  {
    row: "88",
    what: "replace a program on disk",
    script: 'echo x >> "$NODE" || echo x > "$(dirname "$NODE")/x"',
    expected: "refused",
  },
  {
    ...{ row: "96", what: "create tool settings under a name with different capitalization", expected: "refused" },
    script: 'mkdir -p "$PROJECT/.DevContainer" && echo x > "$PROJECT/.DevContainer/devcontainer.json"',
    leaves: { made: "project/.devcontainer/devcontainer.json" },
  },
  {
    row: "94",
    what: "read a file in the workspace",
    script: 'cat "$PROJECT/.git/config" > /dev/null',
    expected: "works",
  },
  {
    row: "95",
    what: "write files of the workspace and of the agent",
    script: 'echo x > "$PROJECT/a" && echo x > "$STATE/b"',
    expected: "works",
  },
];
