import assert from "node:assert/strict";
import { chmod, mkdir, mkdtemp, readFile, realpath, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { type KeyStore, systemKeyStore } from "../../../../src/context/servers/node/secrets/key-store.js";
import { SecretFile } from "../../../../src/context/servers/node/secrets/secret-file.js";

describe("secrets.json", () => {
  let folder: string;
  beforeEach(async () => (folder = await realpath(await mkdtemp(join(tmpdir(), "secret-test-")))));
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const textOf = (file: SecretFile): Promise<string> => readFile(file.path, "utf8");

  it("keeps values for every process of its user, and for nobody else", async () => {
    const file = new SecretFile({ folder, keyStore: undefined });
    assert.equal(await file.protection(), `Nothing is stored in ${file.path} yet.`);
    assert.equal(await file.get("secret:a"), undefined);
    await file.set("secret:a", "one");
    const other = new SecretFile({ folder, keyStore: undefined });
    await other.set("secret:b", "two");
    assert.equal(await file.get("secret:b"), "two");
    assert.deepEqual(await file.names(), ["secret:a", "secret:b"]);
    assert.equal(await other.remove("secret:a"), true);
    assert.equal(await other.remove("secret:a"), false);
    assert.deepEqual(await file.names(), ["secret:b"]);
    assert.match(await file.protection(), /unencrypted but readable only by you/);
    if (process.platform !== "win32") assert.equal((await stat(file.path)).mode & 0o777, 0o600);
  });

  it("keeps what all write at the same time", async () => {
    const names = Array.from({ length: 10 }, (_, index) => `secret:${index}`);
    await Promise.all(names.map((name) => new SecretFile({ folder, keyStore: undefined }).set(name, "x")));
    assert.deepEqual(await new SecretFile({ folder, keyStore: undefined }).names(), names);
  });

  it("encrypts them where the system has a store for the key", async () => {
    const keyStore = new MemoryKeyStore();
    const file = new SecretFile({ folder, keyStore });
    await file.set("secret:a", "a value");
    assert.equal((await textOf(file)).includes("a value"), false);
    assert.equal(await new SecretFile({ folder, keyStore }).get("secret:a"), "a value");
    assert.equal(
      await file.protection(),
      `The values are in ${file.path}, encrypted with a key in the store of this test.`,
    );
    assert.equal(keyStore.kept.length, 1);
  });

  it("gives no value where it was put in the place of another, or the store is locked", async () => {
    const keyStore = new MemoryKeyStore();
    const file = new SecretFile({ folder, keyStore });
    await file.set("secret:a", "1");
    await file.set("secret:b", "2");
    const content = JSON.parse(await textOf(file)) as { values: Record<string, string> };
    const swapped = { ...content, values: { "secret:a": content.values["secret:b"] } };
    await writeFile(file.path, JSON.stringify(swapped));
    const fault = { code: "secrets-not-read" };
    await assert.rejects(new SecretFile({ folder, keyStore }).get("secret:a"), fault);
    keyStore.isLocked = true;
    await assert.rejects(new SecretFile({ folder, keyStore }).get("secret:a"), fault);
    await assert.rejects(new SecretFile({ folder, keyStore }).set("secret:c", "3"), fault);
    await assert.rejects(new SecretFile({ folder, keyStore: undefined }).get("secret:a"), fault);
    // Names are not secret and can be listed without the key store.
    assert.deepEqual(await new SecretFile({ folder, keyStore: undefined }).names(), ["secret:a"]);
  });

  it("falls back to a file that is its user's alone where the store keeps nothing", async () => {
    const keyStore = new MemoryKeyStore();
    keyStore.isLocked = true;
    const file = new SecretFile({ folder, keyStore });
    await file.set("secret:a", "1");
    assert.equal(await file.get("secret:a"), "1");
    assert.match(await file.protection(), /unencrypted/);
  });

  it("is not replaced where it cannot be understood, and no error repeats it", async () => {
    const file = new SecretFile({ folder, keyStore: undefined });
    for (const text of ["top secret {", '{"values": {"a": 1}, "key": null}', '{"values": {}, "key": {}}']) {
      await writeFile(file.path, text);
      await assert.rejects(file.set("secret:a", "1"), (error: Error) => !error.message.includes("top secret"));
      assert.equal(await textOf(file), text);
    }
  });
});

describe("the system's key store", () => {
  let folder: string;
  beforeEach(async () => (folder = await realpath(await mkdtemp(join(tmpdir(), "key-test-")))));
  afterEach(() => rm(folder, { recursive: true, force: true }));

  /** Stands for a program of the system: keeps the last line of its input, and every argument that it was started with. */
  const program = `#!/bin/sh
echo "$@" >> "$0.arguments"
case "$1" in
  store|-i) sed 's/.* -w //' > "$0.key" ;;
  *) cat "$0.key" ;;
esac
`;

  const systems = [
    { platform: "linux", name: "secret-tool", title: "this desktop's keyring" },
    { platform: "darwin", name: "security", title: "the macOS keychain" },
  ];
  for (const { platform, name, title } of systems) {
    it(`keeps a key with ${name}, and shows it to nobody who lists processes`, async function () {
      if (process.platform === "win32") this.skip(); // The stand-in is a shell script.
      const file = join(folder, name);
      await writeFile(file, program);
      await chmod(file, 0o755);
      const env = {
        PATH: `${folder}${delimiter}${process.env["PATH"] ?? ""}`,
        DBUS_SESSION_BUS_ADDRESS: "unix:path=/x",
      };
      const store = systemKeyStore({ platform, env });
      assert.equal(store?.title, title);
      const reference = await store.keep("0123456789abcdef");
      assert.equal(await store.read(reference), "0123456789abcdef");
      const seen = await readFile(`${file}.arguments`, "utf8");
      assert.equal(seen.includes("0123456789abcdef"), false);
    });
  }

  it("is never asked by a program of the folder in which this process runs", async function () {
    if (process.platform === "win32") this.skip();
    const project = join(folder, "project");
    await mkdir(project);
    await writeFile(join(project, "secret-tool"), "#!/bin/sh\nexit 1\n", { mode: 0o755 });
    await writeFile(join(folder, "secret-tool"), program, { mode: 0o755 });
    const path = [".", "", project, folder, process.env["PATH"]].join(delimiter);
    const before = process.cwd();
    process.chdir(project);
    try {
      const env = { PATH: path, DBUS_SESSION_BUS_ADDRESS: "unix:path=/x" };
      assert.ok(await systemKeyStore({ platform: "linux", env })?.keep("0123456789abcdef"));
    } finally {
      process.chdir(before);
    }
  });

  it("is not there without a session's bus, and says why a program cannot be asked", async () => {
    assert.equal(systemKeyStore({ platform: "linux", env: {} }), undefined);
    const store = systemKeyStore({
      platform: "linux",
      env: { PATH: folder, DBUS_SESSION_BUS_ADDRESS: "unix:path=/x" },
    });
    await assert.rejects(store?.keep("1") ?? Promise.resolve(), /^Error: secret-tool: spawn secret-tool ENOENT$/);
  });
});

class MemoryKeyStore implements KeyStore {
  readonly id = "memory";
  readonly title = "the store of this test";
  readonly kept: string[] = [];
  isLocked = false;

  keep(key: string): Promise<string> {
    if (this.isLocked) return Promise.reject(new Error("it is locked"));
    this.kept.push(key);
    return Promise.resolve(String(this.kept.length - 1));
  }

  read(reference: string): Promise<string> {
    const key = this.kept[Number(reference)];
    return this.isLocked || key === undefined ? Promise.reject(new Error("it is locked")) : Promise.resolve(key);
  }
}
