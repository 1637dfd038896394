import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { runWorkflow } from "../../scripts/workflows/workflow-run.mjs";
import { repositoryWith, runProgram } from "./support/workflows.mjs";

const limitMs = 400_000;
const isLinux = process.platform === "linux" && process.arch === "x64";

// The jobs that run here are those of Linux on x64.
(isLinux ? describe : describe.skip)("workflows on this machine", function () {
  this.timeout(limitMs);
  let folder;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "symposium-workflows-"));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  /** Runs the workflow of this text in a repository with `files`; what its steps print goes to no one. */
  async function runText(text, { files = {}, ...options } = {}) {
    const repository = await repositoryWith(folder, files);
    const file = join(folder, "workflow.yml");
    await writeFile(file, text);
    return runWorkflow(file, { repository, ...options });
  }

  const ok = (...names) => names.map((name) => ({ name, state: "ok" }));

  it("hand environment, outputs and artifacts from step to step and from job to job", async () => {
    const text = `
on: push
env: { GREETING: hello }
jobs:
  second:
    needs: first
    runs-on: ubuntu-24.04
    steps:
      - uses: actions/download-artifact@v8
        with: { name: made, path: in }
      - name: compare
        run: test "$(cat in/word.txt)" = "\${{ needs.first.outputs.word }} \${{ github.ref_type }}"
  first:
    runs-on: ubuntu-24.04
    outputs: { word: "\${{ steps.say.outputs.word }}" }
    steps:
      - uses: actions/checkout@v7
      - id: say
        run: |
          echo "word=$GREETING $(cat file.txt)" >>"$GITHUB_OUTPUT"
          echo "LATER=branch" >>"$GITHUB_ENV"
      - name: write
        working-directory: src
        run: echo "\${{ steps.say.outputs.word }} $LATER" >word.txt
      - uses: actions/upload-artifact@v7
        with: { name: made, path: src/word.txt, if-no-files-found: error }
`;
    assert.deepEqual(await runText(text, { files: { "file.txt": "you", "src/other.txt": "" } }), [
      {
        name: "first",
        result: "success",
        outputs: { word: "hello you" },
        steps: ok(
          "actions/checkout",
          'echo "word=$GREETING $(cat file.txt)" >>"$GITHUB_OUTPUT"',
          "write",
          "actions/upload-artifact",
        ),
      },
      { name: "second", result: "success", outputs: {}, steps: ok("actions/download-artifact", "compare") },
    ]);
  });

  it("fail with the step that fails: only what asks for a failure follows, and no job that needs it", async () => {
    const text = `
on: push
jobs:
  breaks:
    runs-on: ubuntu-24.04
    steps:
      - run: "false | true"
      - run: "false | true"
        shell: bash
      - run: echo not reached
      - if: failure()
        run: "true"
  after: { needs: breaks, runs-on: ubuntu-24.04, steps: [{ run: "true" }] }
`;
    assert.deepEqual(await runText(text), [
      {
        name: "breaks",
        result: "failure",
        outputs: {},
        steps: [
          { name: "false | true", state: "ok" },
          { name: "false | true", state: "failed", reason: "it ended with exit code 1" },
          { name: "echo not reached", state: "skipped" },
          { name: "true", state: "ok" },
        ],
      },
      { name: "after", result: "skipped" },
    ]);
  });

  it("say what is not run here, and why, and run the rest of the matrix", async () => {
    const text = `
on: push
jobs:
  build:
    strategy: { matrix: { include: [{ os: ubuntu-24.04 }, { os: macos-15 }, { os: ubuntu-24.04-arm }] } }
    runs-on: \${{ matrix.os }}
    steps: [{ uses: someone/something@v1 }, { run: 'test "\${{ matrix.os }}" = ubuntu-24.04' }]
  publish: { needs: build, environment: release, runs-on: ubuntu-24.04, steps: [{ run: "false" }] }
`;
    assert.deepEqual(await runText(text), [
      {
        name: "build (ubuntu-24.04)",
        result: "success",
        outputs: {},
        steps: [
          { name: "someone/something", state: "not run", reason: "someone/something has no equivalent here" },
          { name: 'test "ubuntu-24.04" = ubuntu-24.04', state: "ok" },
        ],
      },
      { name: "build (macos-15)", result: "not run", reason: "it needs macos-15" },
      { name: "build (ubuntu-24.04-arm)", result: "not run", reason: "it needs ubuntu-24.04-arm" },
      { name: "publish", result: "not run", reason: "it publishes, in the environment release" },
    ]);
  });

  it("run nothing that publishes by itself, and no container", async () => {
    const reasons = {
      "npm publish --access public": "it publishes",
      "echo now && git push --tags": "it publishes",
      "node scripts/release/publish.mjs npm": "it publishes",
      "docker run --rm alpine true": "it wants a container",
    };
    const steps = Object.keys(reasons).map((script) => `{ run: ${JSON.stringify(script)} }`);
    const [{ result, steps: done }] = await runText(
      `on: push\njobs: { leave: { runs-on: ubuntu-24.04, steps: [${steps.join(", ")}] } }\n`,
    );
    assert.equal(result, "success");
    assert.deepEqual(
      done,
      Object.entries(reasons).map(([name, reason]) => ({ name, state: "not run", reason })),
    );
  });

  it("end the step that runs, and all that follow, when the run is ended", async () => {
    const ending = new AbortController();
    const text = `
on: push
jobs:
  wait: { runs-on: ubuntu-24.04, steps: [{ run: 'touch "$GH_RELEASES/runs" && sleep 1000' }, { if: always(), run: "true" }] }
`;
    const running = runText(text, { signal: ending.signal, releases: folder });
    await until(async () => existsSync(join(folder, "runs")));
    ending.abort("enough");
    const [{ steps }] = await running;
    assert.deepEqual(
      steps.map(({ state, reason }) => ({ state, reason })),
      [
        { state: "failed", reason: "enough" },
        { state: "failed", reason: "enough" },
      ],
    );
  });

  it("keep no token or key of this machine's", async () => {
    Object.assign(process.env, { SOME_TOKEN: "secret", SOME_API_KEY: "secret" });
    try {
      const text = `
on: push
jobs: { look: { runs-on: ubuntu-24.04, steps: [{ run: 'test -z "$SOME_TOKEN$SOME_API_KEY\${{ secrets.VSCE_PAT }}"' }] } }
`;
      assert.equal((await runText(text))[0].result, "success");
    } finally {
      delete process.env.SOME_TOKEN;
      delete process.env.SOME_API_KEY;
    }
  });

  it("end what a step left running", async () => {
    const text = `
on: push
jobs: { start: { runs-on: ubuntu-24.04, steps: [{ run: 'sleep 1000 & echo $! >"$GH_RELEASES/pid"' }] } }
`;
    await runText(text, { releases: folder });
    const pid = Number(await readFile(join(folder, "pid"), "utf8"));
    // A killed process may wait for its parent to notice.
    const isGone = async () =>
      /^(?:gone$|\d+ \(\w+\) Z)/.test(await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "gone"));
    await until(isGone);
  });

  it("refuse a tag of another version, in the first job of a release", async () => {
    const { code, output } = await runProgram("release.yml", "--job", "draft", "--tag", "v999.0.0");
    assert.equal(code, 1);
    assert.match(output, /^The tag is v999\.0\.0, and package\.json says \d/m);
    assert.match(output, /^ {6}FAILED {2}node scripts\/release\/check-version\.mjs: it ended with exit code 1$/m);
    assert.match(output, /^ {6}skipped {2}gh release view/m);
  });

  it("refuse a job that there is none of", async () => {
    const { code, output } = await runProgram("release.yml", "--job", "celebrate");
    assert.equal(code, 1);
    assert.match(
      output,
      /There is no job "celebrate": draft, package, try, try-musl, attest, upload, check, show, publish, site\./,
    );
  });

  /** Waits for what is sure to happen; the test's own limit is the bound. */
  async function until(condition) {
    while (!(await condition())) await wait(20);
  }
});
