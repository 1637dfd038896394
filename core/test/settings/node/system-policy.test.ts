import assert from "node:assert/strict";
import { chmod, mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { SymposiumError } from "../../../src/base/symposium-error.js";
import { systemPolicy, usePolicyFolder } from "../../../src/settings/managed-policy/node/system-policy.js";
import {
  faultAbove,
  faultOf,
  windowsFault,
  writableByOthers,
} from "../../../src/settings/managed-policy/node/write-access.js";

const own = process.getuid?.() ?? 0;

describe("the machine's policy", () => {
  let folder = "";
  let using: Disposable | undefined;
  beforeEach(async () => {
    folder = join(await realpath(await mkdtemp(join(tmpdir(), "policy-"))), "symposium");
    using = usePolicyFolder(folder, [0, own]);
  });
  afterEach(async () => {
    using?.[Symbol.dispose]();
    await rm(dirname(folder), { recursive: true });
  });

  async function write(name: string, text: string): Promise<string> {
    const file = join(folder, name);
    await mkdir(dirname(file), { recursive: true, mode: 0o755 });
    await writeFile(file, text, { mode: 0o644 });
    return file;
  }

  async function failure(): Promise<string> {
    const error = await systemPolicy().then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    assert.ok(error instanceof SymposiumError && error.code === "invalid-policy", String(error));
    return error.text;
  }

  it("is absent without its folder or with an empty one", async () => {
    assert.equal(await systemPolicy(), undefined);
    await mkdir(folder, { mode: 0o755 });
    using?.[Symbol.dispose]();
    using = usePolicyFolder(folder, [0, own]);
    assert.equal(await systemPolicy(), undefined);
  });

  it("has policy.jsonc first, then the drop-ins by name, and no other file", async () => {
    await write("policy.d/20-b.jsonc", "{}");
    await write("policy.d/10-a.jsonc", "{}");
    await write("policy.d/readme.txt", "no policy");
    await write("policy.jsonc", '{ "lowestProtection": "rules" }');
    const policy = await systemPolicy();
    assert.deepEqual(
      policy?.files.map(({ file }) => file.slice(folder.length + 1)),
      ["policy.jsonc", join("policy.d", "10-a.jsonc"), join("policy.d", "20-b.jsonc")],
    );
  });

  it("stops with the file and the line if a file is malformed", async () => {
    await write("policy.d/x.jsonc", '{\n  "allowedAgent": ["codex"]\n}');
    assert.match(await failure(), /x\.jsonc:2:3: "allowedAgent" is unknown/);
  });

  it("stops if a policy is no file", async () => {
    await mkdir(join(folder, "policy.jsonc"), { recursive: true, mode: 0o755 });
    assert.match(await failure(), /policy\.jsonc.* can't be read: .*is a folder/);
  });

  it("stops and names the file or folder that others may write, with the remedy", async function () {
    if (process.platform === "win32") return this.skip();
    const file = await write("policy.d/x.jsonc", "{}");
    for (const path of [file, dirname(file), folder]) {
      const mode = path === file ? 0o644 : 0o755;
      for (const wider of [0o002, 0o020]) {
        await chmod(path, mode | wider);
        using?.[Symbol.dispose]();
        using = usePolicyFolder(folder, [0, own]);
        assert.match(await failure(), new RegExp(`: ${path} can be written by other users\\..* chmod go-w "${path}"`));
      }
      await chmod(path, mode);
    }
    return undefined;
  });

  it("stops if a user owns the file, or could replace a folder above it", async function () {
    if (process.platform === "win32") return this.skip();
    const file = await write("policy.jsonc", "{}");
    assert.match((await writableByOthers(file, [own + 1]))?.reason ?? "", /belongs to the user \d+ instead of root/);
    await chmod(dirname(folder), 0o777);
    assert.equal((await writableByOthers(file, [0, own]))?.path, dirname(folder));
    await chmod(dirname(folder), 0o1777);
    assert.equal(await writableByOthers(file, [0, own]), undefined);
    return undefined;
  });

  it("judges owners and modes", () => {
    assert.deepEqual(
      [
        faultOf({ uid: 0, gid: 0, mode: 0o100644 }, [0]),
        faultOf({ uid: 0, gid: 0, mode: 0o100664 }, [0]) !== undefined,
        faultOf({ uid: 1000, gid: 0, mode: 0o100600 }, [0]) !== undefined,
        faultAbove({ uid: 0, gid: 0, mode: 0o40775 }, [0]),
        faultAbove({ uid: 0, gid: 50, mode: 0o40775 }, [0]) !== undefined,
        faultAbove({ uid: 0, gid: 0, mode: 0o41777 }, [0]),
      ],
      [undefined, true, true, undefined, true, undefined],
    );
  });

  it("reads the access lists of Windows", () => {
    const path = "C:\\ProgramData\\Symposium";
    const list = (...entries: readonly string[]): string =>
      `${path} ${entries.join(`\r\n${" ".repeat(path.length + 1)}`)}\r\n\r\nSuccessfully processed 1 files; Failed processing 0 files\r\n`;
    const safe = [
      "NT AUTHORITY\\SYSTEM:(OI)(CI)(F)",
      "BUILTIN\\Administrators:(I)(OI)(CI)(F)",
      "BUILTIN\\Users:(OI)(CI)(RX)",
    ];
    assert.deepEqual(
      [
        windowsFault(list(...safe), path),
        windowsFault(list(...safe, "CREATOR OWNER:(I)(OI)(CI)(IO)(F)"), path),
        windowsFault(list(...safe, "BUILTIN\\Users:(DENY)(W)"), path),
        windowsFault(list(...safe, "BUILTIN\\Users:(I)(CI)(WD,AD,WEA,WA)"), path),
        windowsFault(list(...safe, "DESKTOP\\ann:(F)"), path),
        windowsFault(list(...safe, "Everyone:(M)"), path),
        windowsFault(list("S-1-5-18:(F)", "S-1-5-21-1:(RX,W)"), path),
        windowsFault("", path),
      ],
      [
        undefined,
        undefined,
        undefined,
        "can be written by BUILTIN\\Users",
        "can be written by DESKTOP\\ann",
        "can be written by Everyone",
        "can be written by S-1-5-21-1",
        "has no access list that can be read",
      ],
    );
  });
});
