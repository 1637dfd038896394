import assert from "node:assert/strict";
import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { GuardRecord } from "../../../src/guard/guard-record.js";
import { type RunLimits, sessionGuards } from "../../../src/guard/node/rule-and-budget-proxies.js";
import { onStage, PlayedAgent } from "../../conductor/chain/chain-fixture.js";

const options = [
  { optionId: "yes", name: "Yes", kind: "allow_once" },
  { optionId: "no", name: "No", kind: "reject_once" },
];

describe("the limits of a run", () => {
  let folder = "";
  let before: string | undefined;
  beforeEach(async () => {
    before = process.env["SYMPOSIUM_CONFIG_DIR"];
    folder = await realpath(await mkdtemp(join(tmpdir(), "run-limits-")));
    process.env["SYMPOSIUM_CONFIG_DIR"] = folder;
    const rules = [
      { effect: "allow", command: "ls" },
      { effect: "deny", command: "rm" },
    ];
    await writeFile(join(folder, "guard.jsonc"), JSON.stringify({ rules }));
  });
  afterEach(async () => {
    if (before === undefined) delete process.env["SYMPOSIUM_CONFIG_DIR"];
    else process.env["SYMPOSIUM_CONFIG_DIR"] = before;
    await rm(folder, { recursive: true });
  });

  /** The answers to requests for `ls`, `rm x` and `cat x` of an agent in a sandbox; `user` if the client is asked. */
  async function answered(allows: NonNullable<RunLimits["allows"]>): Promise<readonly unknown[]> {
    const decided: GuardRecord[] = [];
    const limits = { allows, onDecision: (record: GuardRecord) => void decided.push(record) };
    const { rules } = sessionGuards(
      () => true,
      () => false,
      limits,
    );
    const agent = new PlayedAgent({ "session/new": () => ({ sessionId: "s" }) });
    const client = {
      answers: { "session/request_permission": () => ({ outcome: { outcome: "selected", optionId: "user" } }) },
    };
    const answers: unknown[] = [];
    await onStage({ agent, client, conductor: { lastProxies: [rules] } }, async (stage) => {
      await stage.initialize();
      await stage.result("session/new", { cwd: folder, mcpServers: [] });
      for (const command of ["ls", "rm x", "cat x"]) {
        const toolCall = { toolCallId: "c", title: "Do it", kind: "execute", rawInput: { command } };
        const outcome = await agent.ask("session/request_permission", { sessionId: "s", toolCall, options });
        answers.push((outcome.json.object?.["outcome"] as { readonly optionId?: string }).optionId);
      }
    });
    return [answers, decided.map(({ subject, answer }) => `${subject}: ${answer}`)];
  }

  it("leave rules and the sandbox as they are with `all`", async () => {
    assert.deepEqual(await answered("all"), [
      ["yes", "no", "yes"],
      ["command ls: allow", "command rm: deny", "command cat: allow"],
    ]);
  });

  it("keep the sandbox from allowing requests with `rules`", async () => {
    assert.deepEqual(await answered("rules"), [
      ["yes", "no", "user"],
      ["command ls: allow", "command rm: deny"],
    ]);
  });

  it("apply only deny and ask rules with `nothing`", async () => {
    assert.deepEqual(await answered("nothing"), [["user", "no", "user"], ["command rm: deny"]]);
  });
});
