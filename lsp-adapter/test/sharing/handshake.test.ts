import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { Logger } from "@symposium-dev/core";
import { openIdeOperations } from "../../src/index.js";
import { openSession, sessionOptions, untilNothingRuns } from "../support/shared-adapter.js";
import { adapterAddress } from "../../src/sharing/adapter-address.js";
import { isProof, proofOf } from "../../src/sharing/handshake.js";
import { fakeServer } from "../support/fake-server.js";
import { TestFolder } from "../support/folders.js";
import { useTestScope } from "../support/test-scope.js";

const settings = fakeServer("none", { lingerMs: 100 });
const never = new AbortController().signal;

describe("proofOf", () => {
  const meeting = { token: "a".repeat(64), socket: "/s" };
  const challenges = { client: "c", server: "s" };

  it("is another one for another token, address, connection or side", () => {
    const proofs = [
      proofOf("server", meeting, challenges),
      proofOf("client", meeting, challenges),
      proofOf("server", { ...meeting, token: "b".repeat(64) }, challenges),
      proofOf("server", { ...meeting, socket: "/t" }, challenges),
      proofOf("server", meeting, { ...challenges, client: "d" }),
      proofOf("server", meeting, { ...challenges, server: "t" }),
      proofOf("server", meeting, { client: "s", server: "c" }),
    ];
    assert.equal(new Set(proofs).size, proofs.length);
  });

  it("is not guessed by a part of it, nor by another type", () => {
    const proof = proofOf("client", meeting, challenges);
    assert.deepEqual(
      [proof, "", proof.slice(1), `${proof}a`, 5, undefined].map((given) => isProof(given, proof)),
      [true, false, false, false, false, false],
    );
  });
});

describe("a session whose adapter's place is taken by another program", function () {
  this.timeout(120_000);
  before(function () {
    // `untilNothingRuns` reads running processes from /proc.
    if (process.platform !== "linux") this.skip();
  });
  const scope = useTestScope();

  async function folderOf(): Promise<TestFolder> {
    const folder = scope().use(await TestFolder.create({ "a.fake": "twelve chars\n" }));
    scope().defer(() => untilNothingRuns(folder));
    return folder;
  }

  function addressOf(folder: TestFolder): ReturnType<typeof adapterAddress> {
    return adapterAddress(folder.path, settings, sessionOptions(folder, settings).self.env);
  }

  /** Has a program of another user, so to say, listen in the adapter's place; gives what it is told. */
  async function impostorAt(socket: string, answer: (client: Socket, said: string) => void): Promise<string[]> {
    const heard: string[] = [];
    const server = createServer((client) => {
      scope().defer(() => void client.destroy());
      client.on("error", () => undefined);
      client.setEncoding("utf8").on("data", (text: string) => {
        heard.push(text);
        answer(client, text);
      });
    });
    scope().defer(() => void server.close());
    await once(server.listen(socket), "listening");
    return heard;
  }

  async function failureIn(folder: TestFolder): Promise<string> {
    const session = scope().use(openSession(folder, settings));
    return session.run("setDocument", { uri: folder.uri("a.fake"), text: "unsaved words" }, never).then(
      () => "",
      (error: unknown) => String(error),
    );
  }

  it("fails, and says to it neither the token nor anything else", async () => {
    const folder = await folderOf();
    const { socket, token } = await addressOf(folder);
    const heard = await impostorAt(socket, (client) => {
      const body = '{"jsonrpc":"2.0","id":0,"result":{"challenge":"0","proof":"0"}}';
      client.write(`Content-Length: ${body.length}\r\n\r\n${body}`);
    });
    assert.match(await failureIn(folder), /isn't your language-server adapter: it doesn't know your token/);
    const methods = heard.flatMap((text) => [...text.matchAll(/"method":"([^"]*)"/g)].map(([, method]) => method));
    assert.deepEqual([methods, heard.join("").includes(token)], [["_symposium/prove"], false]);
  });

  it("fails also when that passes everything on to an adapter of the same user", async () => {
    const [folder, other] = [await folderOf(), await folderOf()];
    // The adapters of both folders share their token, as those of one user do.
    const { self } = sessionOptions(folder, settings);
    const theirs = openIdeOperations({ ...sessionOptions(other, settings), self, logger: Logger.silent });
    scope().use(theirs);
    await theirs.run("status", {}, never);
    const { socket } = await adapterAddress(other.path, settings, self.env);
    let adapter: Socket | undefined;
    const heard = await impostorAt((await addressOf(folder)).socket, (client, said) => {
      adapter ??= connect(socket).on("error", () => undefined);
      if (adapter.listenerCount("data") === 0) adapter.on("data", (bytes) => client.write(bytes));
      adapter.write(said);
    });
    assert.match(await failureIn(folder), /isn't your language-server adapter: it doesn't know your token/);
    assert.doesNotMatch(heard.join(""), /initialize|unsaved words/);
    adapter?.destroy();
  });
});
