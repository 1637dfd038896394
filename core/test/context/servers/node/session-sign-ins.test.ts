import assert from "node:assert/strict";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Logger } from "../../../../src/base/logger.js";
import { beginLogin } from "../../../../src/context/servers/node/oauth/login-flow.js";
import { LoginStore } from "../../../../src/context/servers/node/oauth/login-store.js";
import { SessionSignIns } from "../../../../src/context/servers/node/oauth/session-sign-ins.js";
import { McpClient } from "../../../../src/context/servers/node/mcp-client.js";
import { SecretFile } from "../../../../src/context/servers/node/secrets/secret-file.js";
import type { RemoteLaunch, ServerSession } from "../../../../src/context/servers/expanded-launch.js";
import { SignInNeeded, type UserServerConnection } from "../../../../src/context/servers/user-server-connection.js";
import type { Request } from "../../../../src/base/rpc/message.js";
import type { UserServer } from "../../../../src/settings/user-server.js";
import { OAuthServer } from "../../../../testing/node/oauth-server.js";
import { type Answer, RecordingPeer } from "../../../../testing/recording-peer.js";

describe("servers that want a sign-in, in a session", () => {
  let folder: string;
  let end: AbortController;
  const logged: string[] = [];
  const restarted: string[] = [];
  beforeEach(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), "sign-in-test-")));
    end = new AbortController();
    logged.length = 0;
    restarted.length = 0;
  });
  afterEach(async () => {
    end.abort();
    // Waiting sign-ins may still be releasing the file's lock.
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  const openStore = (): LoginStore => new LoginStore({ file: new SecretFile({ folder, keyStore: undefined }), fetch });

  function openSignIns(timeoutMs?: number): { signIns: SessionSignIns; restart: Promise<string> } {
    let hear: (name: string) => void = () => undefined;
    const restart = new Promise<string>((resolve) => (hear = resolve));
    const signIns = new SessionSignIns({
      store: openStore(),
      fetch,
      logger: new Logger((event) => void logged.push(JSON.stringify(event))),
      signedIn: (name) => {
        restarted.push(name);
        hear(name);
      },
      oauthOf: (server) => Promise.resolve(server.oauth),
      pollMs: 5,
      ...(timeoutMs !== undefined && { timeoutMs }),
    });
    return { signIns, restart };
  }

  function openSession(client: RecordingPeer, elicitation: object = { url: {} }): ServerSession {
    const clientCapabilities = { elicitation };
    return { cwd: folder, roots: [folder], client, clientCapabilities, sessionId: "s", signal: end.signal };
  }

  async function connect(
    server: OAuthServer,
    session: ServerSession,
    signIns: SessionSignIns,
  ): Promise<UserServerConnection> {
    const launch: RemoteLaunch = { type: "http", url: server.url, headers: {} };
    const entry: UserServer = { name: "vault", launch, origin: { kind: "user" }, isEnabled: true };
    const signIn = await signIns.find(entry, launch, session);
    const client = new McpClient({ clientInfo: { name: "test", version: "1" }, startProcess: () => assert.fail() });
    const host = { notified: () => undefined, ended: () => undefined };
    return client.open({ name: "vault", launch }, host, end.signal, signIn);
  }

  /** An editor whose user opens what it is asked to open. */
  const browsing: Readonly<Record<string, Answer>> = {
    "elicitation/create": (request: Request) => {
      void fetch(String(request.params?.object?.["url"])).catch(() => undefined);
      return { action: "accept" };
    },
  };

  async function call(live: UserServerConnection, name: string): Promise<string> {
    const context = { signal: end.signal, notify: () => undefined } as never;
    return (await live.call("tools/call", { name, arguments: {} }, context)).json.text;
  }

  it("are reached once the user has signed in by the address that the editor shows", async () => {
    await using server = await OAuthServer.start();
    const client = new RecordingPeer(browsing);
    const { signIns, restart } = openSignIns();
    await assert.rejects(connect(server, openSession(client), signIns), SignInNeeded);
    assert.equal(await restart, "vault");
    const asked = await client.waitFor("elicitation/create");
    const { mode, sessionId, message, elicitationId } = asked.params?.object ?? {};
    assert.deepEqual([mode, sessionId, message], ["url", "s", 'Sign in to the MCP server "vault".']);
    const completed = await client.waitFor("elicitation/complete");
    assert.deepEqual(completed.params?.value, { elicitationId });
    await using live = await connect(server, openSession(client), signIns);
    assert.match(await call(live, "whoami"), /You are signed in\./);
    // No token, and no code, went to the editor or into a log.
    const seen = JSON.stringify(client.received.map(({ params }) => params?.value)) + logged.join("");
    assert.deepEqual(
      server.given.filter((secret) => seen.includes(secret)),
      [],
    );
  });

  it("tell the address in the session where the editor opens none, and notice a sign-in elsewhere", async () => {
    await using server = await OAuthServer.start();
    const client = new RecordingPeer();
    const { signIns, restart } = openSignIns();
    await assert.rejects(connect(server, openSession(client, {}), signIns), SignInNeeded);
    const said = await client.waitForUpdate("agent_message_chunk");
    assert.match(JSON.stringify(said.params?.value), /wants you to sign in: open http.* mcp login vault/);
    // As another process does it.
    const request = { serverName: "vault", serverUrl: server.url };
    await using pending = await beginLogin(request, { store: openStore(), fetch });
    await fetch(pending.url);
    assert.equal(await restart, "vault");
    await using live = await connect(server, openSession(client), signIns);
    assert.match(await call(live, "whoami"), /You are signed in\./);
  });

  it("ask once, whatever becomes of it", async () => {
    await using server = await OAuthServer.start();
    const client = new RecordingPeer({ "elicitation/create": { action: "decline" } });
    const { signIns } = openSignIns();
    for (const _attempt of [1, 2]) await assert.rejects(connect(server, openSession(client), signIns), SignInNeeded);
    await client.waitFor("elicitation/create");
    assert.equal(client.received.length, 1);
    assert.deepEqual(restarted, []);
  });

  it("go on without a user who does not come", async () => {
    await using server = await OAuthServer.start({ answer: "look-away" });
    const client = new RecordingPeer({ "elicitation/create": undefined as never });
    const { signIns } = openSignIns(1);
    await assert.rejects(connect(server, openSession(client), signIns), SignInNeeded);
    await client.waitFor("elicitation/create");
    assert.deepEqual(restarted, []);
  });

  it("renew a refused token without the user", async () => {
    await using server = await OAuthServer.start();
    const client = new RecordingPeer(browsing);
    const { signIns, restart } = openSignIns();
    await assert.rejects(connect(server, openSession(client), signIns), SignInNeeded);
    await restart;
    await using live = await connect(server, openSession(client), signIns);
    server.endAccessTokens();
    assert.match(await call(live, "whoami"), /You are signed in\./);
    assert.deepEqual([server.renewals, server.reuses], [1, 0]);
  });

  it("ask for more where a tool needs it, and keep what was granted", async () => {
    await using server = await OAuthServer.start();
    const client = new RecordingPeer(browsing);
    const { signIns, restart } = openSignIns();
    await assert.rejects(connect(server, openSession(client), signIns), SignInNeeded);
    await restart;
    await using live = await connect(server, openSession(client), signIns);
    await assert.rejects(call(live, "erase"), /requests more access than you have allowed: write/);
    while (restarted.length < 2) await new Promise((resolve) => setTimeout(resolve, 5));
    assert.match(await call(live, "erase"), /Erased\./);
    assert.equal((await openStore().find(server.url))?.tokens?.scope, "read write");
  });

  it("are left to a header that the user has given", async () => {
    const { signIns } = openSignIns();
    const launch: RemoteLaunch = { type: "http", url: "https://a.example/mcp", headers: { authorization: "Bearer x" } };
    const entry: UserServer = { name: "a", launch, origin: { kind: "user" }, isEnabled: true };
    assert.equal(await signIns.find(entry, launch, openSession(new RecordingPeer())), undefined);
    const open = { ...launch, url: "http://a.example/mcp", headers: {} };
    assert.equal(await signIns.find(entry, open, openSession(new RecordingPeer())), undefined);
  });
});
