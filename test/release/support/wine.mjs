import { spawnSync } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { forwardingLibrary } from "./forwarding-library.mjs";
import { unpacked } from "./foreign-systems.mjs";

const packages = ["libwine", "wine64", "libz-mingw-w64", "libunwind8"];
const libraries = "usr/lib/x86_64-linux-gnu";
const limitMs = 400_000;
/** Overrides that disable Wine's questions at first start and its entries in the user's menus. */
const unwanted = "mscoree=;mshtml=;winemenubuilder.exe=";

/**
 * Wine, by which an executable for Windows on x64 starts here: `run` does so, with words and the text of stdin, and returns
 * `{ status, stdout, stderr }`. Disposing it ends what runs in it.
 */
export async function withWine(executable) {
  const system = await unpacked(packages, async (folder) => {
    await rm(join(folder, libraries, "wine/i386-windows"), { recursive: true });
    // Debian's script looks for it in /usr alone.
    await cp(join(folder, "usr/lib/wine/wineserver64"), join(folder, "usr/lib/wine/wineserver"), { force: true });
    const modules = join(folder, libraries, "wine/x86_64-windows");
    await cp(join(folder, "usr/x86_64-w64-mingw32/lib/zlib1.dll"), join(modules, "zlib1.dll"));
    // Debug information takes 500 MB. The modules also run if stripping fails.
    spawnSync("sh", ["-c", 'strip --strip-debug "$0"/*', modules]);
  });
  const home = await mkdtemp(join(tmpdir(), "symposium-wine-"));
  // Wine 8 does not have it yet; the function has another name elsewhere.
  const random = forwardingLibrary("bcryptprimitives.dll", { ProcessPrng: "advapi32.SystemFunction036" });
  await writeFile(join(dirname(executable), "bcryptprimitives.dll"), random);
  await mkdir(join(home, "tmp"));
  const server = join(system, "usr/lib/wine/wineserver64");
  const env = {
    ...{ HOME: home, TMPDIR: join(home, "tmp"), PATH: process.env.PATH, WINEPREFIX: join(home, "prefix") },
    ...{ WINESERVER: server, WINEDEBUG: "-all", WINEDLLOVERRIDES: unwanted },
    ...{ LD_LIBRARY_PATH: join(system, libraries), WINEDLLPATH: join(system, libraries, "wine") },
  };
  return { run, [Symbol.asyncDispose]: dispose };

  /** By a shell's pipe: what Node gives its children are sockets, which Wine does not take for pipes. */
  async function run(words, input = "") {
    await writeFile(join(home, "in"), input);
    const shell = ["-o", "pipefail", "-c", '"$@" <in 2>err | cat >out', "bash"];
    const options = { cwd: home, env, timeout: limitMs };
    const { status } = spawnSync(
      "bash",
      [...shell, join(system, "usr/lib/wine/wine64"), executable, ...words],
      options,
    );
    const [stdout, stderr] = await Promise.all(["out", "err"].map((name) => readFile(join(home, name), "utf8")));
    return { status, stdout, stderr };
  }

  async function dispose() {
    spawnSync(server, ["--kill"], { env });
    await rm(home, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }
}
