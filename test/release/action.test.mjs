import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { whyNoBubblewrap } from "../../scripts/test/bubblewrap.mjs";
import { runWorkflow } from "../../scripts/workflows/workflow-run.mjs";
import { repositoryWith } from "./support/workflows.mjs";

const root = fileURLToPath(new URL("../../", import.meta.url));
/** Has the form of a GitHub token, and is none. */
const key = `ghp_${"x7Kq".repeat(9)}`;
const noSandbox = whyNoBubblewrap();
const isLinux = process.platform === "linux" && process.arch === "x64";

// Its steps run in bash, as on a runner for Linux.
(isLinux ? describe : describe.skip)("the GitHub Action", function () {
  this.timeout(400_000);
  let folder;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "symposium-action-"));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  /**
   * Runs the action with these inputs in a checkout, with the command of this repository or another one. Returns the job's result, the
   * action's outputs and the uploaded events.
   */
  async function act(inputs, command = join(root, "core/bin/symposium-acp-agent.mjs")) {
    const artifacts = join(folder, "artifacts");
    const files = {
      "action.yml": await readFile(join(root, "action.yml"), "utf8"),
      "ask.txt": "ask permission to deploy",
    };
    const repository = await repositoryWith(folder, files);
    const workflow = {
      on: "push",
      jobs: {
        run: {
          "runs-on": "ubuntu-24.04",
          outputs: { status: "${{ steps.symposium.outputs.status }}", answer: "${{ steps.symposium.outputs.answer }}" },
          steps: [
            { uses: "actions/checkout@v7" },
            {
              run: 'mkdir "$RUNNER_TEMP/bin"; ln -s "$COMMAND" "$RUNNER_TEMP/bin/symposium-acp-agent"; echo "$RUNNER_TEMP/bin" >>"$GITHUB_PATH"',
              env: { COMMAND: command },
            },
            {
              run: 'echo "HOME=$RUNNER_TEMP" >>"$GITHUB_ENV"; echo "SYMPOSIUM_CONFIG_DIR=$RUNNER_TEMP/config" >>"$GITHUB_ENV"',
            },
            { id: "symposium", uses: "./", with: { agent: "eliza", ...inputs } },
            { name: "nothing made", if: "always()", run: 'test ! -e made && test ! -e "$RUNNER_TEMP/made"' },
          ],
        },
      },
    };
    const file = join(folder, "workflow.yml");
    await writeFile(file, JSON.stringify(workflow));
    const [{ result, outputs, steps }] = await runWorkflow(file, { repository, artifacts });
    const conversation = join(artifacts, "symposium-conversation/conversation.jsonl");
    const uploaded = await readFile(conversation, "utf8").catch(() => "");
    const failed = steps.filter(({ state }) => state === "failed").map(({ name }) => name);
    return { result, outputs, failed, uploaded };
  }

  it("answers, and uploads the conversation without credentials", async () => {
    const done = await act({ prompt: `my key is ${key}`, permissions: "rules" });
    assert.equal(done.result, "success");
    assert.equal(done.outputs.status, "done");
    assert.notEqual(done.outputs.answer, "");
    assert.match(done.uploaded, /my key is/);
    assert.doesNotMatch(done.uploaded, new RegExp(key));
  });

  it("fails if a request of the agent is refused, and still uploads the conversation", async () => {
    const done = await act({ "prompt-file": "ask.txt", permissions: "deny" });
    assert.equal(done.result, "failure");
    assert.equal(done.outputs.status, "refused");
    assert.deepEqual(done.failed, ["Run the prompt", "./"]);
    assert.match(done.uploaded, /permission to deploy/);
  });

  it("takes its inputs as words, not as shell", async () => {
    const done = await act({
      prompt: 'hello"; touch "$RUNNER_TEMP/made; $(touch made)',
      budget: "toolCalls=1",
      permissions: "rules",
    });
    assert.equal(done.result, "success");
    const wrong = await act({ prompt: "hello", permissions: "$(touch made)" });
    assert.deepEqual(wrong.failed, ["Run the prompt", "./"]);
    assert.equal(wrong.outputs.status, "failed");
  });

  it("runs no agent without the prompt's file", async () => {
    const done = await act({ prompt: "hello", "prompt-file": "none.txt", permissions: "rules" });
    assert.deepEqual(done.failed, ["Run the prompt", "./"]);
    assert.deepEqual([done.outputs.answer, done.uploaded], [null, ""]);
  });

  it("says that it failed if the command is killed before its result", async () => {
    const command = join(folder, "killed");
    await writeFile(command, '#!/bin/sh\nprintf \'{"type":"upd\'\nexit 137\n', { mode: 0o755 });
    const done = await act({ prompt: "hello", permissions: "rules" }, command);
    assert.deepEqual(done.failed, ["Run the prompt", "./"]);
    assert.equal(done.outputs.status, "failed");
  });

  (noSandbox === undefined ? it : it.skip)("runs the agent in the sandbox unless it is told otherwise", async () => {
    const done = await act({ prompt: "hello" });
    assert.equal(done.result, "success");
    assert.equal(done.outputs.status, "done");
  });
});
