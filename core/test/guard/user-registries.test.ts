import assert from "node:assert/strict";
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { targetText } from "../../src/guard/network/target.js";
import { userRegistries } from "../../src/guard/node/network/user-registries.js";

describe("the registries of the user", function () {
  // Python and npm start from a cold disk.
  this.timeout(60_000);

  let folder = "";
  before(function () {
    // The programs of these tests are shell scripts.
    if (process.platform === "win32") this.skip();
  });
  beforeEach(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), "registries-")));
    await mkdir(join(folder, "bin"));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it("are asked of programs that get no variable which makes them load code, in a folder of the system", async () => {
    for (const name of ["python3", "npm", "go", "cargo"]) {
      const script = `#!/bin/sh\n{ /usr/bin/env; echo "folder=$(pwd)"; } >>'${folder}/${name}'\n`;
      await writeFile(join(folder, "bin", name), script, { mode: 0o755 });
    }
    const planted = ["PYTHONPATH", "PYTHONSTARTUP", "PYTHONHOME", "NODE_OPTIONS", "NODE_PATH", "GOFLAGS", "GOENV"];
    const more = [
      "npm_config_userconfig",
      "PIP_CONFIG_FILE",
      "BASH_ENV",
      "LD_PRELOAD",
      "DYLD_INSERT_LIBRARIES",
      "API_KEY",
    ];
    const env = Object.fromEntries([...planted, ...more].map((name) => [name, ""]));
    await userRegistries({ ...env, PATH: join(folder, "bin"), HOME: folder }, []);
    for (const name of ["python3", "npm", "go", "cargo"]) {
      const lines = (await readFile(join(folder, name), "utf8")).trim().split("\n");
      const names = lines.map((line) => line.replace(/=.*$/, ""));
      assert.deepEqual(
        names.filter((one) => one in env),
        [],
        name,
      );
      assert.ok(lines.includes("folder=/"), `${name}: ${lines.join()}`);
    }
  });

  it("do not run a module of the folder that PYTHONPATH names", async () => {
    await writeFile(join(folder, "sitecustomize.py"), `open(r"${folder}/ran", "w")\n`);
    await userRegistries({ PATH: "/usr/bin:/bin", HOME: folder, PYTHONPATH: folder }, []);
    await assert.rejects(readFile(join(folder, "ran")), { code: "ENOENT" });
  });

  it("are asked of no program in a folder where agents write, also when PATH and a variable name it", async () => {
    await writeFile(join(folder, "bin", "npm"), `#!/bin/sh\n: >'${folder}/ran'\n`, { mode: 0o755 });
    const env = { PATH: `${join(folder, "bin")}:/usr/bin:/bin`, HOME: "/", JAVA_HOME: folder };
    await userRegistries(env, [folder]);
    await assert.rejects(readFile(join(folder, "ran")), { code: "ENOENT" });
  });

  it("include cargo's own index before cargo has used it", async () => {
    const found = async (): Promise<boolean> => {
      const env = { PATH: join(folder, "bin"), HOME: folder, CARGO_HOME: join(folder, "cargo") };
      return (await userRegistries(env, [])).map(targetText).includes("index.crates.io:443");
    };
    assert.equal(await found(), false, "there is no cargo");
    await writeFile(join(folder, "bin", "cargo"), "#!/bin/sh\necho cargo 1.2.3\n", { mode: 0o755 });
    assert.equal(await found(), true);
    await mkdir(join(folder, "cargo"));
    await writeFile(
      join(folder, "cargo", "config.toml"),
      '[source.mirror]\nregistry = "sparse+https://crates.example/"\n',
    );
    assert.equal(await found(), false, "another source is configured");
  });

  it("include the address that a variable names", async () => {
    const script = '#!/bin/sh\n[ "$1" = env ] && echo "$GOPROXY"\nexit 0\n';
    await writeFile(join(folder, "bin", "go"), script, { mode: 0o755 });
    const found = await userRegistries({ PATH: join(folder, "bin"), HOME: folder, GOPROXY: "https://go.example/" }, []);
    assert.ok(found.map(targetText).includes("go.example:443"), found.map(targetText).join());
  });
});
