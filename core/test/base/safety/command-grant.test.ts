import assert from "node:assert/strict";
import { grantOf, grantText } from "../../../src/base/safety/command-grant.js";
import { rememberedCommands } from "../../../src/base/safety/remembered-commands.js";

const words = (text: string): string[] => text.split(" ").map((word) => word.replaceAll("_", " "));
const grant = (text: string): string | undefined => grantOf(words(text))?.join(" ");

/** Commands, and what a remembered answer for them may be widened to. */
const widened: readonly (readonly [command: string, grant: string])[] = [
  ["git diff", "git diff"],
  ["git diff --stat HEAD src", "git diff"],
  ["git --no-pager diff -U5 --cached", "git --no-pager diff"],
  ["git log --oneline -5 --since=yesterday --author Ann -- src", "git log"],
  ["git log -n 5 -p", "git log"],
  ["git show --stat HEAD", "git show"],
  ["git status -sb", "git status"],
  ["git branch -a", "git branch"],
  ["git add -A", "git add"],
  ["git commit -am fix", "git commit"],
  ["ls -la src", "ls"],
  ["head -n 5 a.txt", "head"],
  ["tail -20 a.txt", "tail"],
  ["grep -rn", "none"],
  ["grep -n -A 3 needle src/a.ts", "grep"],
  ["tree -L 2 src", "tree"],
  ["cargo test --workspace -p core -- --nocapture", "cargo test"],
  ["cargo clippy --all-targets", "cargo clippy"],
  ["go test -v -run Name ./...", "go test"],
  ["npm test -- --grep name src/a.test.js", "npm test"],
  ["npm run build", "npm run build"],
  ["pnpm run lint:fix --silent", "pnpm run lint:fix"],
  ["pytest -q tests/test_a.py -k name", "pytest"],
  ["eslint --fix --max-warnings 0 src", "eslint"],
  ["tsc -p tsconfig.json --noEmit", "tsc"],
];

/** Commands that are remembered whole, and never by their first words. */
const exact = `
git rebase main|git rebase -x evil|git rebase --exec evil main|git submodule foreach evil|git submodule status
git bisect run evil|git difftool -x evil|git difftool|git mergetool|git filter-branch --tree-filter evil|git log --output=a
git diff --output a|git diff --outp=a|git show --output=a|git diff --ext-diff|git log --textconv|git diff --no-index a b
git -c core.pager=evil log|git --exec-path=. log|git -C .. log|git --git-dir=x log|git -p log|git config a b|git grep -O a
git push|git push --receive-pack=evil|git fetch --upload-pack=evil|git clone ext::evil|git pull|git checkout -f|git reset
git archive --exec=evil|git am|git apply a|git worktree add a|git stash|git stash pop|git branch -D a|git branch name|git tag v1
git remote add a b|git commit --no-verify -m a|git commit -F a|git commit --template=a|git status --unknown|git log -Oorder
find . -exec evil|find . -delete|find . -fprint a|find .|sed -i s/a/b/ a|sed e a|awk system a|xargs evil|tree -o a|tree -R -L 2
tree -ao a|tree --fromfile|grep -r key|grep -R key .|grep -f list|grep -nr key .|grep --recursive key|grep --include=*.env key
grep -d recurse key .|rg key|rg --pre evil|ls --hyperlink|cat --files|wc --files0-from=a|du --files0-from=a|sort -o a b|sort a
date -s 1|file -C -m a|file -f list|file -z a|cut --output-delimiter a|stat --cached=x a|uname x|pwd x|whoami x|true x
tar --to-command=evil|tar --checkpoint-action=exec=evil|tar xf a|zip -TT evil a|unzip a|ssh -o ProxyCommand=evil h|ssh h evil
scp -S evil a b|rsync -e evil a b|curl -o a b|curl b|wget -O a b|wget b|nc -e evil h|dd of=a|tee a|cp a b|mv a b|rm a|ln -s a b
chmod +x a|chown a b|touch a|mkdir a|install a b|make|make test|make SHELL=evil|make -f a|cmake .|ninja|just a|task a
npm install|npm install evil|npm i|npm ci|npm publish|npm exec evil|npm x evil|npm init evil|npm create evil|npm run|npm start
npm test --script-shell=./x|npm test --prefix .. |npm run build --node-options=--require=./x|npm --prefix .. test|npm run -x
npm test -- --require ./x|npm test -- -r ./x|npm test -- --config x|npm test -- --reporter x|npm config set a b|npm explore a
npx evil|pnpm dlx evil|pnpm exec evil|pnpm install|pnpm evil|yarn dlx evil|yarn run node evil|yarn evil|yarn|yarn install|bunx evil
bun evil.ts|bun run evil.ts|bun x evil|bun test --preload ./x|deno run a|deno test -A|deno task a|node evil|node -e evil
python -c evil|python3 evil.py|python -m pytest|perl -e evil|ruby -e evil|php -r evil|lua a|osascript -e evil|powershell -Command a
sh a|bash -c evil|zsh -c evil|env|env FOO=bar ls|sudo ls|doas ls|nice ls|nohup ls|timeout 5 ls|time ls|watch ls|stdbuf -o0 ls
eval ls|exec ls|command ls|builtin echo|source a|. a|trap evil EXIT|alias ls=evil|export PATH=.|hash -p evil ls|enable -f evil ls
go test -vettool=evil|go vet -vettool=evil|go build -toolexec=evil|go test -exec evil|go build -o /a|go run a|go generate
go get a|go install a|go env -w A=B|go test -overlay=a|go build -modfile=a|go test -coverprofile=a|go test -args -x|go tool a
cargo run|cargo install a|cargo build --config a=b|cargo build --target-dir /a|cargo +nightly build|cargo test --manifest-path a
cargo test -- --logfile a|cargo clippy -- -C linker=evil|cargo build -- x|cargo clippy --fix|cargo fmt -- --config a=b|cargo evil|cargo publish|cargo add a|rustup run a b|rustc a
docker run --privileged a|docker ps|docker exec a b|docker build .|kubectl get secrets|kubectl exec a|gh api a|gh pr view
gradle test|mvn test|dotnet test|ant a|sbt test|bazel run a|eslint -c a|eslint --rulesdir a|eslint --plugin a|eslint -o a
eslint -f ./x|prettier --plugin ./x|prettier --config a|mocha --require ./x|mocha -r ./x|mocha --reporter ./x|mocha -R ./x
jest --config a|jest --globalSetup a|vitest --config a|pytest -p evil|pytest -c a|pytest --rootdir a|pytest -o a|pytest --basetemp /a
tsc --outDir /a|tsc --plugins a|ruff --config a|ruff check --output-file a|ruff check --config a|mypy --python-executable ./x
rustfmt --config-path a|rustfmt --emit files|which --read-alias|./git diff|/tmp/git diff|GIT diff|git.exe diff|vim -c evil|less a
man -P evil a|ed a|emacs --eval a|gdb -ex evil|strace ls|ltrace ls|busybox wget a|base64 -d a|openssl enc a|crontab a|at now|kill 1
toString|constructor|__proto__|hasOwnProperty|git constructor|npm run __proto__ --x`
  .trim()
  .split(/[|\n]/);

describe("grantOf", () => {
  for (const [command, expected] of widened.filter(([, one]) => one !== "none")) {
    it(`widens "${command}" to "${expected} …"`, () => assert.equal(grant(command), expected));
  }

  it("remembers all that may run, write or reach further word for word", () => {
    assert.deepEqual(
      exact.filter((command) => grant(command.trim()) !== undefined),
      [],
    );
  });

  it("takes a value for an option's own only where it cannot be an option", () => {
    assert.deepEqual(
      [grant("git log -n --output=a"), grant("head -n"), grant("git log --grep --ext-diff")],
      [undefined, undefined, undefined],
    );
  });

  it("allows no option that runs or writes in any row", () => {
    const dangerous =
      /^(?:-o|-O|-x|-c|-f|--?(?:exec|eval|output|ext-diff|textconv|config|require|import|loader|plugin|pre$|shell|toolexec|vettool|reporter|preload|files0-from|file$|open-files-in-pager|paginate|fix-only|target-dir|manifest-path|rcfile).*)$/;
    /** Short options that mean something harmless to these programs. */
    const harmless =
      /^(?:ls|cat|wc|grep|cut|stat|tree|du|uname|head|tail|git (?:blame|ls-files|--no-pager|log|show)|pytest|mocha|prettier|cargo tree|cargo metadata)\b/;
    const found = rememberedCommands.flatMap(({ words: names, flags, valued }) =>
      [...flags, ...valued]
        .filter((option) => dangerous.test(option) && !(/^-\w$/.test(option) && harmless.test(names.join(" "))))
        .map((option) => `${names.join(" ")} ${option}`),
    );
    assert.deepEqual(found, []);
  });

  it("says what else a rule covers, and nothing where a rule would be too wide", () => {
    assert.match(grantText(["git", "diff"]) ?? "", /only change what is shown/);
    assert.match(grantText(["npm", "run", "build"]) ?? "", /the project's own script/);
    assert.deepEqual(
      [grantText(["git"]), grantText(["npm"]), grantText(["git", "rebase"]), grantText([])],
      [undefined, undefined, undefined, undefined],
    );
  });
});
