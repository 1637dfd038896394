import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { claimSocket } from "../../../src/base/node/claim-socket.js";
import { userToken } from "../../../src/base/node/user-token.js";

describe("a claimed socket", () => {
  before(function () {
    // There it is a pipe, which the system removes itself.
    if (process.platform === "win32") this.skip();
  });
  let folder = "";
  let servers: Server[] = [];
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "symposium-"));
    servers = [];
  });
  afterEach(async () => {
    for (const one of servers) one.close();
    await rm(folder, { recursive: true, force: true });
  });

  function server(): Server {
    const made = createServer((socket) => socket.end());
    servers.push(made);
    return made;
  }

  it("is won by one of many that claim it at once", async () => {
    const path = join(folder, "s.sock");
    const won = await Promise.all(Array.from({ length: 8 }, () => claimSocket(server(), path, path)));
    assert.equal(won.filter((one) => one).length, 1);
  });

  it("is taken over by exactly one when its holder was killed", async () => {
    const path = join(folder, "s.sock");
    const program = `require("net").createServer().listen(${JSON.stringify(path)}, () => console.log("up"))`;
    const holder = spawn(process.execPath, ["-e", program], { stdio: ["ignore", "pipe", "inherit"] });
    await once(holder.stdout, "data");
    holder.kill("SIGKILL");
    await once(holder, "exit");
    const won = await Promise.all(Array.from({ length: 4 }, () => claimSocket(server(), path, path)));
    assert.deepEqual([won.filter((one) => one).length, await readdir(join(path, ".."))], [1, ["s.sock"]]);
  });
});

describe("the token of a user", () => {
  it("is the same for everybody who asks at once, and readable for the user only", async () => {
    const path = await mkdtemp(join(tmpdir(), "symposium-"));
    after(() => rm(path, { recursive: true, force: true }));
    const file = join(path, "token");
    const tokens = new Set(await Promise.all(Array.from({ length: 6 }, () => userToken(file))));
    const [token = ""] = tokens;
    assert.deepEqual(
      { count: tokens.size, length: token.length, file: await readFile(file, "utf8"), files: await readdir(path) },
      { count: 1, length: 64, file: token, files: ["token"] },
    );
    if (process.platform !== "win32") assert.equal((await stat(file)).mode & 0o777, 0o600);
  });
});
