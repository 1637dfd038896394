import assert from "node:assert/strict";
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Logger } from "../../../../src/base/logger.js";
import type { ServerSession } from "../../../../src/context/servers/expanded-launch.js";
import { expandOAuth, expandWith, inputName, secretName } from "../../../../src/context/servers/node/expand-launch.js";
import { InputQuestions } from "../../../../src/context/servers/node/input-questions.js";
import { SecretFile } from "../../../../src/context/servers/node/secrets/secret-file.js";
import type { ServerLaunch, UserServer } from "../../../../src/settings/user-server.js";
import { RecordingPeer } from "../../../../testing/recording-peer.js";
import { KnownSecrets } from "../../../../src/base/secrets/known-secrets.js";

describe("the launch of a server in a session", () => {
  let folder: string;
  let secrets: SecretFile;
  const end = new AbortController();
  beforeEach(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), "expand-test-")));
    secrets = new SecretFile({ folder, keyStore: undefined });
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const program = (more: object = {}): ServerLaunch => ({ type: "stdio", command: "db", args: [], env: {}, ...more });
  const entry = (launch: ServerLaunch, more: Partial<UserServer> = {}): UserServer => ({
    name: "db",
    launch,
    origin: { kind: "user" },
    isEnabled: true,
    ...more,
  });
  const openSession = (client = new RecordingPeer(), elicitation: object = { form: {} }): ServerSession => ({
    cwd: folder,
    roots: [folder],
    client,
    clientCapabilities: { elicitation },
    sessionId: "s",
    signal: end.signal,
  });
  const env = { HOST: "db.example" };

  it("has values of the environment, of secrets and answers, and where the session is", async () => {
    await secrets.set(secretName("password"), "s3cr3t-password");
    await secrets.set(inputName("org"), "acme");
    const learned: string[] = [];
    const expand = expandWith({ secrets, env, home: "/home/me", learn: (value) => learned.push(value) });
    const launch = program({
      args: ["${env:HOST}", "${input:org}", "${userHome}", "${workspaceFolder}"],
      env: { PASSWORD: "${secret:password}" },
      cwd: "sub",
    });
    assert.deepEqual(await expand(entry(launch), openSession()), {
      type: "stdio",
      command: "db",
      args: ["db.example", "acme", "/home/me", folder],
      env: { PASSWORD: "s3cr3t-password" },
      cwd: join(folder, "sub"),
    });
    // What is learned so is hidden in a trace wherever somebody repeats it.
    assert.deepEqual(learned, ["acme", "s3cr3t-password"]);
    const known = new KnownSecrets();
    for (const value of learned) known.learn({ secret: value });
    assert.equal(known.mask("it is s3cr3t-password"), "it is [redacted]");
  });

  it("has the lines of its envFile, under what `env` says", async () => {
    await mkdir(join(folder, "config"));
    await writeFile(join(folder, "config", ".env"), '# mine\nA=1\nexport B="two words"\nC=${A}\n');
    const expand = expandWith({ secrets, env, home: "/" });
    const expanded = await expand(entry(program({ env: { A: "own" }, envFile: "config/.env" })), openSession());
    assert.deepEqual("env" in expanded && expanded.env, { A: "own", B: "two words", C: "${A}" });
    assert.deepEqual(await expand(entry(program({ envFile: "nowhere" })), openSession()), {
      missing: `the file ${join(folder, "nowhere")}`,
    });
  });

  it("is none where something is missing, of which it says the name", async () => {
    const expand = expandWith({ secrets, env, home: "/" });
    const launch: ServerLaunch = { type: "http", url: "https://${env:HOST}/", headers: { A: "${secret:a} ${B}" } };
    assert.deepEqual(await expand(entry(launch), openSession()), { missing: "${secret:a}, ${env:B}" });
    assert.deepEqual(await expand(entry({ ...launch, url: "ftp://x", headers: {} }), openSession()), {
      missing: "an http or https address",
    });
  });

  it("asks for its inputs once, by a form that hides what is secret, and keeps the answers", async () => {
    const client = new RecordingPeer({
      "elicitation/create": { action: "accept", content: { key: "k-1", region: "eu" } },
    });
    const questions = new InputQuestions({ secrets, logger: Logger.silent });
    const missesInputs = questions.ask.bind(questions);
    const expand = expandWith({ secrets, env, home: "/", missesInputs });
    const inputs = [
      { id: "key", isSecret: true, description: "The key." },
      { id: "region", isSecret: false, default: "eu", options: ["eu", "us"] },
    ];
    const server = entry(program({ env: { KEY: "${input:key}", REGION: "${input:region}" } }), { inputs });
    for (const _session of [1, 2]) {
      assert.deepEqual(await expand(server, openSession(client)), { missing: "${input:key}, ${input:region}" });
    }
    const asked = await client.waitFor("elicitation/create");
    assert.deepEqual(asked.params?.object?.["requestedSchema"], {
      type: "object",
      properties: {
        key: { type: "string", title: "key", description: "The key.", _meta: { codex: { isSecret: true } } },
        region: { type: "string", title: "region", default: "eu", enum: ["eu", "us"] },
      },
      required: ["key", "region"],
    });
    await client.waitForUpdate("agent_message_chunk");
    const expanded = await expand(server, openSession(client));
    assert.deepEqual("env" in expanded && expanded.env, { KEY: "k-1", REGION: "eu" });
    assert.equal(client.received.filter(({ method }) => method === "elicitation/create").length, 1);
  });

  it("says where an editor without forms can be told, and takes no for an answer", async () => {
    for (const [client, elicitation] of [
      [new RecordingPeer(), {}],
      [new RecordingPeer({ "elicitation/create": { action: "decline" } }), { form: {} }],
    ] as const) {
      const questions = new InputQuestions({ secrets, logger: Logger.silent });
      const expand = expandWith({ secrets, env, home: "/", missesInputs: questions.ask.bind(questions) });
      await expand(entry(program({ args: ["${input:key}"] })), openSession(client, elicitation));
      if ("form" in elicitation) await client.waitFor("elicitation/create");
      else {
        const said = await client.waitForUpdate("agent_message_chunk");
        assert.match(JSON.stringify(said.params?.value), /left out until you enter: key\..*mcp login db/);
      }
      assert.deepEqual(await secrets.names(), []);
    }
  });

  it("has the client of its oauth, or says what is missing", async () => {
    await secrets.set(secretName("client"), "s3cr3t");
    const launch: ServerLaunch = { type: "http", url: "https://a.example/", headers: {} };
    const oauth = { clientId: "${env:HOST}", clientSecret: "${secret:client}", scopes: ["read"] };
    const services = { secrets, env, home: "/" };
    assert.deepEqual(await expandOAuth(entry(launch, { oauth }), openSession(), services), {
      clientId: "db.example",
      clientSecret: "s3cr3t",
      scopes: ["read"],
    });
    const lacking = entry(launch, { oauth: { clientId: "${env:NOBODY}" } });
    await assert.rejects(expandOAuth(lacking, openSession(), services), {
      code: "sign-in-failed",
      message: 'Can\'t sign in to "db": ${env:NOBODY} of its `oauth` has no value.',
    });
  });
});
