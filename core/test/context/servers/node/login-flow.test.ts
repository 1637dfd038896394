import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { randomInt } from "node:crypto";
import { mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { OAuthServer } from "../../../../testing/node/oauth-server.js";
import {
  beginLogin,
  type LoginRequest,
  type PendingLogin,
} from "../../../../src/context/servers/node/oauth/login-flow.js";
import { LoginStore } from "../../../../src/context/servers/node/oauth/login-store.js";
import { SecretFile } from "../../../../src/context/servers/node/secrets/secret-file.js";

describe("a sign-in to a server", () => {
  let folder: string;
  let store: LoginStore;
  const learned: string[] = [];
  beforeEach(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), "login-test-")));
    store = openStore();
    learned.length = 0;
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  function openStore(): LoginStore {
    const file = new SecretFile({ folder, keyStore: undefined });
    return new LoginStore({ file, fetch, learn: (value) => learned.push(value) });
  }

  function begin(server: OAuthServer, request: Partial<LoginRequest> = {}): Promise<PendingLogin> {
    return beginLogin({ serverName: "vault", serverUrl: server.url, ...request }, { store, fetch });
  }

  it("registers us, takes the user to the address, and keeps the tokens for this server", async () => {
    await using server = await OAuthServer.start();
    await using pending = await begin(server);
    const url = new URL(pending.url);
    assert.equal(url.origin + url.pathname, `${server.issuer}/authorize`);
    assert.equal(url.searchParams.get("resource"), server.url);
    assert.match(url.searchParams.get("redirect_uri") ?? "", /^http:\/\/127\.0\.0\.1:\d+\/callback$/);
    const page = await fetch(pending.url);
    assert.equal(await page.text(), "You are signed in to vault. You can close this page.\n");
    assert.equal(await pending.ended, "signed-in");
    const token = await openStore().token(server.url);
    assert.ok(token !== undefined && server.given.includes(token));
    assert.ok(learned.includes(token));
    assert.equal(await store.token("https://elsewhere.example/mcp"), undefined);
  });

  it("is registered once, as long as the port of its address is free", async () => {
    await using server = await OAuthServer.start();
    for (const _round of [1, 2]) {
      await using pending = await begin(server);
      await fetch(pending.url);
      assert.equal(await pending.ended, "signed-in");
    }
    assert.equal(server.registered.length, 1);
    assert.equal(server.registered[0]?.["client_name"], "Symposium");
  });

  it("is declined by its user", async () => {
    await using server = await OAuthServer.start({ answer: "deny" });
    await using pending = await begin(server);
    await fetch(pending.url);
    assert.equal(await pending.ended, "declined");
    assert.equal(await store.find(server.url), undefined);
  });

  it("goes on waiting where somebody comes with another state", async () => {
    await using server = await OAuthServer.start({ answer: "wrong-state" });
    await using pending = await begin(server);
    const page = await fetch(pending.url);
    assert.match(await page.text(), /Symposium isn't waiting for this sign-in/);
    server.answer = "allow";
    await fetch(pending.url);
    assert.equal(await pending.ended, "signed-in");
  });

  it("fails where the answer is of another issuer, and sends it no code", async () => {
    await using server = await OAuthServer.start({ answer: "wrong-issuer" });
    await using pending = await begin(server);
    await fetch(pending.url);
    await assert.rejects(pending.ended, { code: "sign-in-failed" });
    assert.deepEqual(
      server.given.filter((secret) => !secret.startsWith("code-")),
      [],
    );
    assert.equal(await store.find(server.url), undefined);
  });

  it("fails where the metadata are of another issuer", async () => {
    await using server = await OAuthServer.start({ issuer: "https://elsewhere.example" });
    await assert.rejects(begin(server), { code: "sign-in-failed", message: /^The sign-in to "vault" failed: / });
  });

  it("uses the client that the user has registered, with its secret and port", async () => {
    const port = await freePort();
    const redirectUri = `http://127.0.0.1:${port}/callback`;
    await using server = await OAuthServer.start({ client: { id: "mine", secret: "s3cr3t-of-mine", redirectUri } });
    const oauth = { clientId: "mine", clientSecret: "s3cr3t-of-mine", callbackPort: port, scopes: ["read"] };
    await using pending = await begin(server, { oauth });
    assert.equal(new URL(pending.url).searchParams.get("scope"), "read");
    await fetch(pending.url);
    assert.equal(await pending.ended, "signed-in");
    assert.ok(learned.includes("s3cr3t-of-mine"));
  });

  it("takes the address that a browser elsewhere could not open", async () => {
    await using server = await OAuthServer.start();
    await using pending = await begin(server);
    const redirect = await fetch(pending.url, { redirect: "manual" });
    const address = redirect.headers.get("location") ?? "";
    assert.equal(await pending.receive("http://127.0.0.1:1/callback?code=x&state=y"), false);
    assert.equal(await pending.receive("nonsense"), false);
    assert.equal(await pending.receive(` ${address}\n`), true);
    assert.equal(await pending.ended, "signed-in");
  });

  it("leaves nothing listening that was given up", async () => {
    await using server = await OAuthServer.start();
    const pending = await begin(server);
    const redirectUrl = new URL(pending.url).searchParams.get("redirect_uri") ?? "";
    assert.equal((await fetch(redirectUrl)).status, 404);
    await pending[Symbol.asyncDispose]();
    await assert.rejects(fetch(redirectUrl));
  });

  it("renews a token at its end once for all who want one at the same time", async () => {
    await using server = await OAuthServer.start({ tokenSeconds: 1 });
    await signIn(server);
    const first = (await store.find(server.url))?.tokens?.access_token ?? "";
    // Each has its own view of the file, as processes have.
    const tokens = await Promise.all(Array.from({ length: 6 }, () => openStore().renew(server.url, first)));
    assert.equal(new Set(tokens).size, 1);
    assert.notEqual(tokens[0], first);
    assert.deepEqual([server.renewals, server.reuses], [1, 0]);
  });

  it("renews a token once for several processes", async () => {
    await using server = await OAuthServer.start();
    await signIn(server);
    const first = (await store.token(server.url)) ?? "";
    const script = fileURLToPath(new URL("renewing-child.js", import.meta.url));
    const run = promisify(execFile);
    const children = [1, 2, 3].map(() => run(process.execPath, [script, folder, server.url, first]));
    const tokens = (await Promise.all(children)).map(({ stdout }) => stdout);
    assert.deepEqual(new Set(tokens), new Set([await store.token(server.url)]));
    assert.notEqual(tokens[0], first);
    assert.deepEqual([server.renewals, server.reuses], [1, 0]);
  });

  it("needs the user again where the grant was revoked, and keeps the registration", async () => {
    await using server = await OAuthServer.start();
    await signIn(server);
    const token = (await store.token(server.url)) ?? "";
    server.revoke();
    assert.equal(await store.renew(server.url, token), undefined);
    assert.equal(await store.token(server.url), undefined);
    await signIn(server);
    assert.equal(server.registered.length, 1);
  });

  it("keeps the sign-in where the authorization server cannot be reached, and shows nothing of it", async () => {
    let token: string;
    let url: string;
    {
      await using server = await OAuthServer.start();
      await signIn(server);
      url = server.url;
      token = (await store.token(url)) ?? "";
    }
    await assert.rejects(store.renew(url, token), (error: Error) => {
      return (
        /^The sign-in at http:\/\/127\.0\.0\.1:\d+\/as cannot be renewed: /.test(error.message) &&
        !error.message.includes(token)
      );
    });
    assert.equal(await store.token(url), token);
  });

  it("is forgotten with its registration", async () => {
    await using server = await OAuthServer.start();
    await signIn(server);
    const { issuer } = server;
    assert.deepEqual(await store.forget(server.url), { issuer, revocation: { kind: "unsupported" } });
    assert.equal(await store.forget(server.url), undefined);
    assert.deepEqual(JSON.parse(await readFile(join(folder, "secrets.json"), "utf8")), { key: null, values: {} });
  });

  it("has its tokens ended by an authorization server that can, the one first that renews", async () => {
    await using server = await OAuthServer.start({ revocation: "works" });
    await signIn(server);
    const token = (await store.token(server.url)) ?? "";
    const refresh = (await store.find(server.url))?.tokens?.refresh_token;
    const { issuer } = server;
    assert.deepEqual(await store.forget(server.url), { issuer, revocation: { kind: "revoked" } });
    assert.deepEqual(server.revoked, [refresh, token]);
    assert.equal((await fetch(server.url, { headers: { authorization: `Bearer ${token}` } })).status, 401);
  });

  it("is forgotten here, too, where the authorization server does not end it", async () => {
    await using server = await OAuthServer.start({ revocation: "refuses" });
    await signIn(server);
    const end = await store.forget(server.url);
    assert.deepEqual(end && "revocation" in end && end.revocation, { kind: "failed", reason: "it answered 503" });
    assert.equal(await store.find(server.url), undefined);
  });

  it("is forgotten where it cannot be read, and what is said shows nothing of it", async () => {
    await using server = await OAuthServer.start({ revocation: "works" });
    await signIn(server);
    const token = (await store.token(server.url)) ?? "";
    const path = join(folder, "secrets.json");
    const { values } = JSON.parse(await readFile(path, "utf8")) as { values: Readonly<Record<string, string>> };
    const entries = Object.keys(values).map((name): [string, string] => [name, token]);
    await writeFile(path, JSON.stringify({ key: null, values: Object.fromEntries(entries) }));
    assert.deepEqual(await store.forget(server.url), { unread: "its stored data is damaged" });
    await writeFile(
      path,
      JSON.stringify({ key: { in: "locked", reference: "x" }, values: Object.fromEntries(entries) }),
    );
    const locked = (await openStore().forget(server.url)) ?? {};
    assert.match(
      "unread" in locked ? String(locked.unread) : "",
      /cannot be read: its key is in the store "locked": .*[^.]$/,
    );
    assert.equal(await openStore().has(server.url), false);
    assert.deepEqual(server.revoked, []);
  });

  it("is free for others while its authorization server is asked to end it", async () => {
    await using server = await OAuthServer.start({ revocation: "works" });
    await signIn(server);
    let isFree = false;
    const file = new SecretFile({ folder, keyStore: undefined });
    const asking = new LoginStore({
      file,
      fetch: async (...request) => {
        isFree ||= (await openStore().forget(server.url)) === undefined;
        return fetch(...request);
      },
    });
    await asking.forget(server.url);
    assert.equal(isFree, true);
  });

  async function signIn(server: OAuthServer): Promise<void> {
    await using pending = await begin(server);
    await fetch(pending.url);
    assert.equal(await pending.ended, "signed-in");
  }
});

/** Below those that a system gives to whoever asks for any, so that nobody gets it in the meantime. */
async function freePort(): Promise<number> {
  for (;;) {
    const port = 20_000 + randomInt(10_000);
    const server = createServer();
    const isFree = new Promise<boolean>((resolve) => {
      server.once("error", () => resolve(false)).listen(port, "127.0.0.1", () => resolve(true));
    });
    if (!(await isFree)) continue;
    await new Promise((resolve) => server.close(resolve));
    return port;
  }
}
