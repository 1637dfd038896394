import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Logger } from "../../../../src/base/logger.js";
import { FileLock } from "../../../../src/base/node/file-lock.js";
import { Outcome, Request } from "../../../../src/base/rpc/message.js";
import { ask, nothingToCancel, type Peer } from "../../../../src/base/rpc/peer.js";
import type { ProtectionLevel } from "../../../../src/base/safety/protection-level.js";
import { agentProtection } from "../../../../src/guard/node/agent-protection.js";
import { readAgentText } from "../../../../src/agents/node/find-agent.js";
import { sandboxNotice } from "../../../../src/guard/node/sandbox/sandbox-notice.js";
import { sandboxOffer, takeBackOffer } from "../../../../src/guard/node/sandbox/sandbox-offer.js";

describe("the offer of the sandbox", () => {
  let config = "";
  let project = "";
  let before: string | undefined;
  beforeEach(async () => {
    config = await mkdtemp(join(tmpdir(), "sandbox-offer-"));
    project = await mkdtemp(join(tmpdir(), "sandbox-offer-project-"));
    before = process.env["SYMPOSIUM_CONFIG_DIR"];
    process.env["SYMPOSIUM_CONFIG_DIR"] = config;
  });
  afterEach(async () => {
    if (before === undefined) delete process.env["SYMPOSIUM_CONFIG_DIR"];
    else process.env["SYMPOSIUM_CONFIG_DIR"] = before;
    await Promise.all([rm(config, { recursive: true }), rm(project, { recursive: true })]);
  });

  const there = { isThere: true, kind: "bubblewrap", program: "/usr/bin/bwrap", isRoot: false } as const;
  const absent = { isThere: false, reason: "bubblewrap is not installed", remedy: "Install it." } as const;
  interface Case {
    readonly agent?: string;
    readonly folder?: string;
    readonly usual?: ProtectionLevel;
    readonly state?:
      | typeof absent
      | (Omit<typeof there, "isRoot"> & { readonly isRoot: boolean; readonly note?: string });
  }
  let probes = 0;
  const offerOf = ({ agent = "codex", folder = project, usual = "rules", state = there }: Case = {}) =>
    sandboxOffer(readAgentText(agent), { folder, usual, probe: () => (probes++, state) });

  it("is made for an agent that was tried in it, where it starts and nothing was said of the agent", async () => {
    const found = await offerOf();
    assert.deepEqual([found?.id, found?.name], ["codex", "Codex"]);
    const command = JSON.stringify({ name: "mine", command: "codex-acp", args: [], env: [] });
    assert.equal((await offerOf({ agent: command }))?.id, "mine");
    assert.equal(await offerOf({ state: absent }), undefined);
    assert.equal(await offerOf({ state: { ...there, isRoot: true } }), undefined);
    assert.equal(await offerOf({ state: { ...there, note: "not tested on a Mac yet" } }), undefined);
  });

  it("is not made, and no program started for it, where it could not be taken or the user has decided", async () => {
    probes = 0;
    const refused = [
      ...(await Promise.all([offerOf({ agent: "/opt/bin/my-agent" }), offerOf({ agent: "eliza" })])),
      ...(await Promise.all([offerOf({ usual: "off" }), offerOf({ usual: "sandbox" }), offerOf({ folder: "/" })])),
    ];
    for (const agents of ['{ "codex": "rules" }', '{ "*": "off" }']) {
      await writeFile(join(config, "guard.jsonc"), `{ "agents": ${agents} }`);
      refused.push(await offerOf());
    }
    assert.deepEqual([refused.filter((one) => one !== undefined), probes], [[], 0]);
  });

  it("is claimed by one of several windows, for each agent, and never made again", async () => {
    const windows = await Promise.all([offerOf(), offerOf(), offerOf()]);
    assert.deepEqual(windows.map((one) => one?.claim()).toSorted(), [false, false, true]);
    probes = 0;
    assert.deepEqual([await offerOf(), probes], [undefined, 0]);
    assert.equal((await offerOf({ agent: "claude-code" }))?.claim(), true);
  });

  it("is made again where nobody was shown it, as when the tab was closed", async () => {
    const lost = await offerOf();
    assert.equal(lost?.claim(), true);
    lost.takeBack();
    assert.equal((await offerOf())?.claim(), true);
    await takeBackOffer(readAgentText("codex"));
    assert.equal((await offerOf())?.claim(), true);
    assert.equal(await offerOf(), undefined);
  });

  it("is claimed by nobody where that cannot be remembered", async () => {
    await writeFile(join(config, "guard"), "");
    assert.equal((await offerOf())?.claim(), false);
  });

  describe("in an editor without a card for it", () => {
    /** The texts that an editor was sent at the end of each of these turns of sessions, whose agents have their names. */
    async function turns(
      sessions: readonly string[],
      clientInfo: object,
      fs: object = { readTextFile: true },
    ): Promise<readonly string[]> {
      let told = "";
      const looks: Promise<unknown>[] = [];
      const notice = sandboxNotice({
        logger: Logger.silent,
        agentOf: (session) => session,
        offerOf: (agent) => {
          const look = offerOf({ agent });
          looks.push(look);
          return look;
        },
      });
      const agent: Peer = {
        notify: () => undefined,
        request: (_request, reply) => {
          reply(Outcome.of({ stopReason: "end_turn" }));
          return nothingToCancel;
        },
      };
      const client: Peer = {
        request: () => nothingToCancel,
        notify: ({ params }) => void (told += params?.text ?? ""),
      };
      const editor = notice.towardAgent(agent, client);
      await ask(editor, Request.of("initialize", { protocolVersion: 1, clientInfo, clientCapabilities: { fs } }));
      const seen: string[] = [];
      for (const session of sessions) {
        told = "";
        await ask(editor, Request.of("session/prompt", { sessionId: session, prompt: [] }));
        seen.push(told);
        await new Promise((resolve) => setImmediate(resolve));
        await Promise.allSettled(looks);
      }
      return seen;
    }
    const editor = { name: "zed", title: "Zed" };

    it("is one line, at the end of the turn after the one that it was looked for at, once for each agent", async () => {
      const seen = await turns(["codex", "codex", "codex", "claude-code", "nobody knows this", "claude-code"], editor);
      const names = seen.map(
        (text) => /_Symposium: (.*?) could run in a sandbox\. Use `\/symposium:guard`/.exec(text)?.[1],
      );
      assert.deepEqual(names, [undefined, "Codex", undefined, undefined, undefined, "Claude Code"]);
      assert.deepEqual(await turns(["codex", "codex"], editor), ["", ""]);
    });

    it("is left to the editor that has a card, and kept from programs", async () => {
      assert.deepEqual(await turns(["codex", "codex"], { name: "symposium-vscode", title: "VS Code" }), ["", ""]);
      assert.deepEqual(await turns(["codex", "codex"], { name: "a-script" }), ["", ""]);
      assert.deepEqual(await turns(["codex", "codex"], { name: "a-script", title: "A Script" }, {}), ["", ""]);
    });
  });

  describe("by /symposium:guard", () => {
    const protection = (started?: ProtectionLevel) =>
      agentProtection(({ agent }) => readAgentText(agent), "rules", { startedAs: () => started });
    const { signal } = new AbortController();
    const choice = (agent: string) => ({ agent, proxies: new Set<string>() });

    it("says what holds, and is not made any more", async () => {
      const text = await protection().describe(choice("codex"), project);
      assert.match(text, /^Codex follows your rules\./);
      assert.match(text, /^- Hosts: No network restrictions\./m);
      assert.equal(await offerOf(), undefined);
      await writeFile(join(config, "guard.jsonc"), '{ "agents": { "codex": "off" } }');
      assert.match(await protection().describe(choice("codex"), project), /Set in `.*guard\.jsonc:1`\./);
    });

    it("writes how the agent is held, and takes it back", async () => {
      const file = join(config, "guard.jsonc");
      assert.match(
        await protection().change(choice("codex"), project, "off", signal),
        /^Saved\. From its next start, `codex` will run without protection/,
      );
      assert.deepEqual(JSON.parse(await readFile(file, "utf8")), { agents: { codex: "off" } });
      assert.match(
        await protection().change(choice("codex"), project, "default", signal),
        /restart the agent or the editor/,
      );
      assert.doesNotMatch(await readFile(file, "utf8"), /codex/);
    });

    it("writes nothing once the user has cancelled it, also while another process changes the file", async () => {
      const file = join(config, "guard.jsonc");
      await writeFile(file, '{ "agents": { "codex": "rules" } }');
      const [before, during] = [new AbortController(), new AbortController()];
      before.abort();
      await assert.rejects(protection().change(choice("codex"), project, "off", before.signal), { name: "AbortError" });
      const lock = await FileLock.take(file);
      const waiting = protection().change(choice("codex"), project, "off", during.signal);
      during.abort();
      await assert.rejects(waiting, { name: "AbortError" });
      await lock[Symbol.asyncDispose]();
      assert.equal(await readFile(file, "utf8"), '{ "agents": { "codex": "rules" } }');
    });

    it("says of an agent that was started before the level changed that it runs as it was started", async () => {
      await writeFile(join(config, "guard.jsonc"), '{ "agents": { "codex": "off" } }');
      const text = await protection("rules").describe(choice("codex"), project);
      assert.match(text, /^This applies from the agent's next start\. It is running with `rules` until/m);
      assert.doesNotMatch(await protection("off").describe(choice("codex"), project), /It is running with/);
    });

    it("switches nothing where there is no sandbox for the folder, or the agent is part of this program", async () => {
      await assert.rejects(
        protection().change(choice("codex"), "/", "sandbox", signal),
        /This agent can't run in a sandbox here/,
      );
      await assert.rejects(protection().change(choice("eliza"), project, "off", signal), {
        message: "Eliza is part of Symposium and starts no programs.",
      });
    });
  });
});
