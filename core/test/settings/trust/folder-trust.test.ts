import assert from "node:assert/strict";
import { RecordingPeer } from "../../../testing/recording-peer.js";
import { Outcome } from "../../../src/base/rpc/message.js";
import { FolderTrust, type TrustStore } from "../../../src/settings/trust/folder-trust.js";

const permission = "session/request_permission";
const reason = "Cargo runs code.";

/** A store in memory; `links` are folders that are elsewhere in truth. */
class Store implements TrustStore {
  readonly kept: string[] = [];
  readonly refused: string[] = [];

  constructor(private readonly links: Readonly<Record<string, string>> = {}) {}

  realPath(folder: string): Promise<string | undefined> {
    return Promise.resolve(folder.startsWith("/gone") ? undefined : (this.links[folder] ?? folder));
  }

  has(folder: string): Promise<boolean> {
    return Promise.resolve(this.kept.includes(folder));
  }

  add(folder: string): Promise<void> {
    this.kept.push(folder);
    return Promise.resolve();
  }

  isRefused(folder: string): Promise<boolean> {
    return Promise.resolve(this.refused.includes(folder));
  }

  refuse(folder: string): Promise<void> {
    this.refused.push(folder);
    return Promise.resolve();
  }
}

const chosen = (optionId: string): Outcome => Outcome.of({ outcome: { outcome: "selected", optionId } });

describe("the trust in a folder", () => {
  const never = new AbortController().signal;

  it("is what the store says, or who started the process, and nobody is asked", async () => {
    const store = new Store({ "/link": "/elsewhere" });
    store.kept.push("/kept");
    const trust = new FolderTrust(store, ["/vouched"]);
    const folders = ["/kept", "/vouched/a", "/other", "/link", "/gone"];
    assert.deepEqual(await Promise.all(folders.map((one) => trust.isTrusted(one))), [true, true, false, false, false]);
  });

  it("stays with the folder that was vouched for where a link takes its place, and tells which are not there", async () => {
    const links: Record<string, string> = {};
    const trust = new FolderTrust(new Store(links), ["/gone", "/vouched"]);
    assert.deepEqual(await trust.missing(), ["/gone"]);
    links["/vouched"] = "/elsewhere";
    const folders = ["/vouched", "/elsewhere/a"];
    assert.deepEqual(await Promise.all(folders.map((one) => trust.isTrusted(one))), [false, false]);
  });

  it("is asked for by a permission request of the session that says what would run, and closes it", async () => {
    const client = new RecordingPeer({ [permission]: chosen("trust-always") });
    const trust = new FolderTrust(new Store());
    const isTrusted = await trust.asked({ folder: "/w", reason, asker: { client, sessionId: "s", signal: never } });
    const [request, update] = client.received.map(({ params }) => params?.object);
    const { toolCall, options, sessionId } = request as {
      toolCall: { title: string; toolCallId: string; content: { content: { text: string } }[] };
      options: { kind: string }[];
      sessionId: string;
    };
    assert.equal(isTrusted, true);
    assert.equal(sessionId, "s");
    assert.equal(toolCall.title, "Trust the folder /w?");
    assert.match(toolCall.content[0]?.content.text ?? "", /^Cargo runs code\. /);
    assert.deepEqual(
      options.map(({ kind }) => kind),
      ["allow_always", "allow_once", "reject_once", "reject_always"],
    );
    assert.deepEqual(update?.["update"], {
      sessionUpdate: "tool_call_update",
      toolCallId: toolCall.toolCallId,
      status: "completed",
    });
  });

  it("is asked about the session's folder where that holds the other, links followed", async () => {
    const client = new RecordingPeer({ [permission]: chosen("trust-always") });
    const store = new Store({ "/w/link": "/elsewhere" });
    const trust = new FolderTrust(store);
    const asker = { client, sessionId: "s", signal: never };
    for (const folder of ["/w/member", "/w/other", "/w/link"]) {
      await trust.asked({ folder, workspace: "/w", reason, asker });
    }
    assert.deepEqual(store.kept, ["/w", "/elsewhere"]);
  });

  it("is asked once by all who wait for it", async () => {
    const client = new RecordingPeer({ [permission]: () => undefined });
    const trust = new FolderTrust(new Store());
    const need = { folder: "/w", reason, asker: { client, sessionId: "s", signal: never } };
    const answers = [trust.asked(need), trust.asked(need)];
    await client.waitFor(permission);
    client.open[0]?.reply(chosen("trust-no"));
    assert.deepEqual([...(await Promise.all(answers)), await trust.asked(need)], [false, false, false]);
    assert.equal(client.received.filter(({ method }) => method === permission).length, 1);
  });

  it("goes on with another call's question when the one that asked is given up", async () => {
    const client = new RecordingPeer({ [permission]: () => undefined });
    const trust = new FolderTrust(new Store());
    const first = new AbortController();
    const given = trust.asked({ folder: "/w", reason, asker: { client, sessionId: "s", signal: first.signal } });
    await client.waitFor(permission);
    const waiting = trust.asked({ folder: "/w", reason, asker: { client, sessionId: "s", signal: never } });
    first.abort();
    assert.equal(await given, false);
    for (; client.open.length < 2;) await Promise.resolve();
    client.open[1]?.reply(chosen("trust-once"));
    assert.equal(await waiting, true);
    assert.equal(await trust.isTrusted("/w/in/it"), true);
  });

  it("is never asked for again, by any process, where the user says so", async () => {
    const store = new Store();
    const client = new RecordingPeer({ [permission]: chosen("trust-never") });
    const need = { folder: "/w", reason, asker: { client, sessionId: "s", signal: never } };
    assert.deepEqual(
      [await new FolderTrust(store).asked(need), await new FolderTrust(store).asked(need)],
      [false, false],
    );
    assert.deepEqual([store.kept, store.refused], [[], ["/w"]]);
    assert.equal(client.received.filter(({ method }) => method === permission).length, 1);
  });

  it("is refused, and not kept, where the editor does not ask or the user says nothing", async () => {
    for (const answer of [Outcome.of({ outcome: { outcome: "cancelled" } }), Outcome.of({}), chosen("else")]) {
      const client = new RecordingPeer({ [permission]: answer });
      const trust = new FolderTrust(new Store());
      const need = { folder: "/w", reason, asker: { client, sessionId: "s", signal: never } };
      assert.deepEqual([await trust.asked(need), await trust.asked(need)], [false, false]);
      assert.equal(client.received.filter(({ method }) => method === permission).length, 2);
    }
  });

  it("rejects with the folder and the command that trusts it", async () => {
    const trust = new FolderTrust(new Store());
    await assert.rejects(trust.require({ folder: "/a b", reason }), {
      code: "folder-not-trusted",
      message: "Cargo runs code. The folder /a b is not trusted, so nothing was run.",
      hint: 'If you trust its authors, run `symposium-acp-agent trust "/a b"`.',
    });
  });
});
