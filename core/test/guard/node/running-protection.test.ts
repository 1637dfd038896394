import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Logger } from "../../../src/base/logger.js";
import { Outcome, Request } from "../../../src/base/rpc/message.js";
import { ask, nothingToCancel, type Peer } from "../../../src/base/rpc/peer.js";
import { RunningProtection } from "../../../src/guard/node/running-protection.js";
import { levelNotice } from "../../../src/guard/node/protection-changed-notice.js";

describe("how the agents of a process are held", () => {
  let config = "";
  const before = process.env["SYMPOSIUM_CONFIG_DIR"];
  beforeEach(async () => {
    config = await mkdtemp(join(tmpdir(), "held-levels-"));
    process.env["SYMPOSIUM_CONFIG_DIR"] = config;
  });
  afterEach(async () => {
    if (before === undefined) delete process.env["SYMPOSIUM_CONFIG_DIR"];
    else process.env["SYMPOSIUM_CONFIG_DIR"] = before;
    await rm(config, { recursive: true });
  });

  const say = (agents: string): Promise<void> => writeFile(join(config, "guard.jsonc"), `{ "agents": ${agents} }`);
  const agent = (name: string) =>
    ({ kind: "process", name, command: { command: `${name}-acp`, args: [], env: {} } }) as const;

  it("is what guard.jsonc says when each of them starts, also where it says another thing than when the process did", async () => {
    await say('{ "codex": "rules" }');
    const levels = await RunningProtection.open({ usual: "rules", isFixed: false });
    assert.equal(levels.start(agent("codex")), "rules");
    await say('{ "codex": "sandbox" }');
    assert.deepEqual(await levels.outdated(), [{ name: "codex", started: "rules", now: "sandbox" }]);
    assert.equal(levels.startedAs("codex"), "rules");
    await levels.refresh();
    assert.equal(levels.start(agent("codex")), "sandbox");
    assert.deepEqual([await levels.outdated(), levels.startedAs("codex")], [[], "sandbox"]);
  });

  it("is not known where the file cannot be read by now, and no business of the file where an option says it", async () => {
    const [said, fixed] = await Promise.all(
      [false, true].map((isFixed) => RunningProtection.open({ usual: "rules", isFixed })),
    );
    for (const levels of [said, fixed]) levels?.start(agent("codex"));
    await say('{ "codex": "sandbxo" }');
    assert.deepEqual(
      [await said?.outdated(), await fixed?.outdated()],
      [[{ name: "codex", started: "rules", now: undefined }], []],
    );
  });

  it("is said at the end of a turn where it is another thing by now, once, in whichever window", async () => {
    const levels = await RunningProtection.open({ usual: "rules", isFixed: false });
    levels.start(agent("codex"));
    const looks: Promise<unknown>[] = [];
    const outdated = (): ReturnType<RunningProtection["outdated"]> => {
      const look = levels.outdated();
      looks.push(look);
      return look;
    };
    let told = "";
    const client: Peer = {
      request: () => nothingToCancel,
      notify: ({ params }) => void (told += params?.text ?? ""),
    };
    const playing: Peer = {
      notify: () => undefined,
      request: (_request, reply) => {
        void Promise.allSettled(looks).then(() => setImmediate(() => reply(Outcome.of({ stopReason: "end_turn" }))));
        return nothingToCancel;
      },
    };
    const editor = levelNotice({ outdated }, Logger.silent).towardAgent(playing, client);
    const clientInfo = { name: "symposium-vscode", title: "VS Code" };
    const clientCapabilities = { fs: { readTextFile: true } };
    await ask(editor, Request.of("initialize", { protocolVersion: 1, clientInfo, clientCapabilities }));
    const turn = async (): Promise<string> => {
      told = "";
      await ask(editor, Request.of("session/prompt", { sessionId: "1", prompt: [] }));
      return told;
    };
    const seen = [await turn()];
    await say('{ "codex": "off" }');
    seen.push(await turn(), await turn());
    await say("{}");
    seen.push(await turn());
    await say('{ "codex": "sandbox" }');
    seen.push(await turn());
    assert.deepEqual(
      seen.map((text) => /codex is still running with protection level `(\w+)`.*now says `(\w+)`/.exec(text)?.slice(1)),
      [undefined, ["rules", "off"], undefined, undefined, ["rules", "sandbox"]],
    );
  });
});
