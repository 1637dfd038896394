import assert from "node:assert/strict";
import { effectOfCommand } from "../base/safety/effect-of-command.js";

const effectOf = (command: string): Promise<string> => effectOfCommand(["git push"], command);

/** Ways to write `git push` that are read as such, where that is denied; one a line. */
const denied = String.raw`
git push
git push origin main --force
/usr/bin/git push
./git push
git.exe push
GIT push
g'i't push
"git" "push"
g\it push
git -C sub push
git --git-dir x push
git --git-dir=x push
git --work-tree x --no-pager push
git -p push
git -c a.b=c push
git --namespace n push
git --exec-path=/x push
git-push origin
/usr/lib/git-core/git-push origin
git send-pack origin main
git http-push https://host/x
git subtree push --prefix=a origin main
git subtree --prefix=a push origin main
git lfs push origin main
git for-each-repo --config=a.b push
git clone -u 'git push' url
git clone -qu 'git push' url
git clone -u'git push' url
git clone --upload-pack 'git push' url
git clone --upload-pack='git push' url
git clone --upl='git push' url
git clone -c core.sshCommand='git push' url
git clone 'ext::git% push'
git fetch --upload-pack='git push' x
git ls-remote --exec='git push' x
git archive --remote=x --exec='git push' HEAD
git difftool -x 'git push' HEAD
git difftool -yx 'git push' HEAD
git difftool --extcmd='git push'
git grep -O'git push' x
git grep --open-files-in-pager='git push' x
git rebase -x 'git push' main
git rebase -ix 'git push' main
git rebase --exec 'git push' main
git filter-branch --tree-filter 'git push' HEAD
git filter-branch --env-filter 'git push' HEAD
git bisect run git push
git submodule foreach 'git push'
git submodule foreach git push
git -c alias.p=push p
git -c alias.p='!git push' p
git -c core.pager='git push' log
git -c core.sshCommand='git push' fetch
git -c diff.external='git push' diff
git config alias.p '!git push'
git config core.editor 'git push'
git send-email --smtp-server='git push' x
git instaweb -d 'git push'
GIT_PAGER='git push' git log
GIT_EXTERNAL_DIFF='git push' git diff
EDITOR='git push' git commit
bash -c 'git push'
bash -lc 'git push'
bash -o pipefail -c 'git push'
sh -ec 'cd x; git push'
zsh -c 'git push'
sudo bash -c 'git push'
bash -c "bash -c 'git push'"
cd x && git push
git pull; git push
git pull || git push
git pull | git push
git pull & git push
(git push)
{ git push; }
! git push
if true; then git push; fi
while true; do git push; done
for x in 1; do git push; done
case x in x) git push;; esac
f() { git push; }; f
echo $(git push)
echo "$(git push)"
cat <(git push)
cat >(git push)
X=$(git push)
a[$(git push)]=1
time git push
coproc git push
A=1 git push
env git push
env A=1 git push
env -i git push
env -u A git push
env -S 'git push'
env -C x git push
sudo git push
sudo -u me git push
doas git push
nice -n 5 git push
nohup git push
timeout 5 git push
timeout -k 1 5 git push
stdbuf -oL git push
setsid git push
command git push
builtin command git push
exec git push
eval git push
eval 'git push'
xargs git push
xargs -n1 git push
echo push | xargs git
echo git push | xargs env
find . -exec git push ;
find . -execdir git push +
fd x -x git push
watch git push
watch 'git push'
parallel git push ::: x
busybox env git push
strace -f git push
script -c 'git push'
flock /tmp/x git push
flock /tmp/x -c 'git push'
chroot / git push
unshare git push
systemd-run --user git push
ssh host git push
ssh host 'cd x && git push'
docker exec c git push
docker run -it x git push
podman exec c git push
npx git push
bunx git push
npm exec -- git push
npm x git push
pnpm exec git push
pnpm dlx git push
yarn exec git push
uv run git push
pipx run git push
poetry run git push
bundle exec git push
mise exec -- git push
direnv exec . git push
nix run nixpkgs#git -- git push
nix shell nixpkgs#git -c git push
`;

/** Ways that Symposium cannot be sure of: the user is asked. */
const asked = String.raw`
env -S'git push'
env --split-string='git push'
env --split-string=git\ push
mise x -- git push
mise -C x exec -- git push
uv --quiet run git push
pnpm --silent exec git push
npm --prefix x exec -- git push
yarn --cwd x exec git push
asdf exec git push
hatch run git push
rye run git push
pixi run git push
conda run -n x git push
micromamba run git push
kubectl exec pod -- git push
kubectl exec pod -- sh -c 'git push'
oc exec pod -- git push
vagrant ssh -c 'git push'
wsl git push
wsl -e git push
tmux new -d 'git push'
tmux new-session -d git push
tmux send-keys -t 0 'git push' Enter
screen -dm git push
zellij run -- git push
jj git push
at -c 'git push' now
echo 'git push' | at now
echo 'git push' | batch
echo 'git push' | parallel
echo 'git push' | ssh host
echo 'git push' | tmux -C
printf 'git push\n' | make -f -
echo 'git push' | sh
echo 'git push' | bash -s
echo 'git push' | bash -s x
echo 'git push' | bash /dev/stdin
echo 'git push' | sudo sh
echo "import os; os.system('git push')" | python3
echo "import os; os.system('git push')" | python3 -
base64 -d x | sh
base64 -d x | sudo bash
base64 -d x | python3
python3 -c "import os; os.system('git push')"
python3 -c "import subprocess as s; s.run(['git', 'push'])"
node -e 'require("child_process").execSync("git push")'
node -e "require('child_process').spawnSync('git', ['push'])"
node -p 'require("child_process").execSync("git -C x push")'
perl -e 'system("git push")'
perl -e 'exec qw(git push)'
ruby -e 'system "git", "push"'
php -r 'system("git push");'
lua -e 'os.execute("git push")'
awk 'BEGIN { system("git push") }'
sed -n '1e git push' x
sed 's/x/git push/e' x
git clone --template=/tmp/x url
git init --template /tmp/x
vim -c '!git push' -c q
ed -s x '!git push'
gdb -batch -ex 'shell git push'
expect -c 'spawn git push'
tclsh -c 'exec git push'
make SHELL='git push'
make -f x CC='git push'
tar -cf x y --checkpoint=1 --checkpoint-action='exec=git push'
tar --to-command='git push' -xf x
tar -I 'git push' -cf x y
zip -T -TT 'git push' x y
rsync -e 'git push' a b:
scp -S 'git push' a b:
man -P 'git push' ls
less '+!git push' x
sort --compress-program='git push' x
rg --pre 'git push' x
split --filter='git push' x
ld -z 'git push'
socat - EXEC:'git push'
nc -e 'git push' host 1
openssl engine 'git push'
crontab -e 'git push'
osascript -e 'do shell script "git push"'
gh alias set p '!git push'
hyperfine 'git push'
entr-like -r git push
cargo run -- git push
go run ./x git push
deno eval 'new Deno.Command("git", { args: ["push"] })'
just --shell 'git push'
nodemon --exec 'git push'
concurrently 'git push' 'npm test'
npm-run-all 'git push'
watchexec git push
reflex -- git push
caffeine git push
firejail git push
bwrap --ro-bind / / git push
proot git push
fakeroot git push
torsocks git push
ccache git push
valgrind git push
perf stat git push
printf -v 'a[$(git push)]' x
test -v 'a[$(git push)]'
[ -v 'a[$(git push)]' ]
read 'a[$(git push)]'
declare 'a[$(git push)]=1'
let 'a[$(git push)]'
unset 'a[$(git push)]'
export 'a[$(git push)]=1'
printf -v 'a[~git push~]' x
X=git; $X push
X='git push'; $X
$(echo git) push
g${"$"}{x}it push
{git,push}
gi? push
/usr/bin/g[i]t push
git $'push'
bash -c "$X"
bash -c 'eval gi""t push'
alias g=git; g push
trap 'git push' EXIT
. ./x
source ./x
bash <<< 'git push'
git push 'unended
`;

describe("a rule that denies git push", () => {
  const lines = (text: string): readonly string[] =>
    text
      .replaceAll("~", "`")
      .split("\n")
      .filter((line) => line !== "");

  it("is tried with many spellings", () => {
    assert.ok(lines(denied).length >= 120, String(lines(denied).length));
    assert.ok(lines(asked).length >= 120, String(lines(asked).length));
  });

  for (const command of lines(denied)) {
    it(`refuses ${command}`, async () => {
      assert.equal(await effectOf(command), "deny");
    });
  }

  for (const command of lines(asked)) {
    it(`refuses or asks about ${command}`, async () => {
      assert.match(await effectOf(command), /^(?:deny|ask)$/);
    });
  }

  it("refuses or asks about substitutions that no parser follows", async () => {
    for (const text of ["$(", "(", "<(", "{ "])
      assert.match(await effectOf(`${text.repeat(2_000)}git push`), /^(?:deny|ask)$/, text);
  });

  const others = [
    ...[
      "git pull",
      "git commit -m 'git push later'",
      "git log --grep 'git push'",
      "git grep 'git push'",
      "echo git push",
    ],
    ...[
      "grep -rn 'git push' .",
      "rg 'git push'",
      "ls git push",
      "cat git push",
      "mkdir -p git/push",
      "npm test",
      "git status",
    ],
    ...["git stash push", "python3 x.py", "node --version", "node --test", "python3 --version", "bash --version"],
    ...["echo 'git push' | grep push", "git log | head -5", "make push", "npm run push", "git diff -- push.git"],
  ];
  for (const command of others) {
    it(`says nothing of ${command}`, async () => {
      assert.equal(await effectOf(command), "nobody says");
    });
  }
});
