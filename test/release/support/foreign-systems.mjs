// Prepares Debian or Ubuntu to start executables for other systems. Downloads packages and unpacks them into .cache, which needs neither
// an installation nor root.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const cache = fileURLToPath(new URL("../../../.cache/release-tools/", import.meta.url));
const muslLoader = "/lib/ld-musl-x86_64.so.1";
/** Has GCC's library for musl in it; its later versions need a newer musl than Debian's. */
const wheel = ["greenlet==2.0.2", "--platform", "musllinux_1_1_x86_64", "--python-version", "3.11"];
/** Functions that the executable needs from a newer GCC library. Both end the program. */
const newer = [
  "void _ZSt28__throw_bad_array_new_lengthv(void) { __builtin_trap(); }",
  "void _ZSt21__glibcxx_assert_failPKciS0_S0_(const char *a, int b, const char *c, const char *d) { __builtin_trap(); }",
];

/** Why this machine cannot fetch what it takes; a test is left out then. */
export class Unavailable extends Error {}

/**
 * A copy of an executable for musl that starts here, with the loader of Debian's musl in a folder of its own. Only the
 * address of the loader differs, for which the place of the original leaves 24 characters.
 */
export async function withMusl(executable) {
  const system = await unpacked(["musl"]);
  const library = await wheelFolder();
  const folder = await mkdtemp("/tmp/sym");
  const loader = join(folder, "l/ld.so");
  await mkdir(join(folder, "l"));
  await mkdir(join(folder, "etc"));
  await cp(join(system, "lib/x86_64-linux-musl/libc.so"), loader);
  // The loader finds its own configuration beside its folder.
  await writeFile(join(folder, "etc/ld-musl-x86_64.path"), join(folder, "l"));
  for (const name of await readdir(library)) await cp(join(library, name), join(folder, "l", name));
  await addNewerFunctions(join(folder, "l"));
  const bytes = await readFile(executable);
  bytes.write(loader.padEnd(muslLoader.length, "\0"), bytes.indexOf(`${muslLoader}\0`), "latin1");
  const program = join(folder, "symposium-acp-agent");
  await writeFile(program, bytes, { mode: 0o755 });
  return { program, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
}

/** The words before an executable for Linux on arm64 that start it here, in an emulator. */
export async function arm64Words() {
  const system = await unpacked(["qemu-user-static", "libc6-arm64-cross"], async (folder) => {
    // Of 35 emulators, which take 350 MB, one is wanted.
    const others = (await readdir(join(folder, "usr/bin"))).filter((name) => /^qemu-(?!aarch64-static$)/.test(name));
    for (const name of others) await rm(join(folder, "usr/bin", name));
  });
  return [join(system, "usr/bin/qemu-aarch64-static"), "-L", join(system, "usr/aarch64-linux-gnu")];
}

/** Under the name that the executable asks for stands a library that has the newer functions and needs the older library. */
async function addNewerFunctions(folder) {
  const [older] = (await readdir(folder)).filter((name) => name.startsWith("libstdc++-"));
  await writeFile(join(folder, "newer.c"), newer.join("\n"));
  const options = ["-shared", "-fPIC", "-nostdlib", "-Wl,-soname,libstdc++.so.6", "-Wl,--no-as-needed"];
  must("cc", [...options, "-o", "libstdc++.so.6", "newer.c", "-L.", `-l:${older}`], folder);
}

/** The folder of GCC's libraries for musl. */
async function wheelFolder() {
  const folder = await kept("gcc-libraries-musl-10.2", async (staging) => {
    const words = ["-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:", ...wheel, "--dest", "."];
    must("python3", words, staging);
    const [name] = (await readdir(staging)).filter((file) => file.endsWith(".whl"));
    must("python3", ["-m", "zipfile", "-e", name, "."], staging);
  });
  return join(folder, "greenlet.libs");
}

/** The folder that these packages of the distribution are unpacked into, once, as `finish` leaves it. */
export async function unpacked(packages, finish) {
  return kept(`debian-${packages.join("+")}`, async (staging) => {
    if (spawnSync("apt-get", ["download", ...packages], { cwd: staging }).status !== 0) {
      // A fresh system has no lists yet, and only root may fetch them.
      must("apt-get", ["update"], staging);
      must("apt-get", ["download", ...packages], staging);
    }
    const archives = (await readdir(staging)).filter((file) => file.endsWith(".deb"));
    for (const archive of archives) {
      must("dpkg-deb", ["--extract", archive, "."], staging);
      await rm(join(staging, archive));
    }
    await finish?.(staging).catch((error) => {
      // Other distributions lay it out in another way.
      throw new Unavailable(`${packages.join(", ")}: ${error.message}`);
    });
  });
}

/** A folder of the cache that `fill` makes, once; what is half-made is never taken for it. */
async function kept(name, fill) {
  const folder = join(cache, name);
  if (existsSync(folder)) return folder;
  const staging = `${folder}.${process.pid}`;
  await mkdir(staging, { recursive: true });
  try {
    await fill(staging);
    await rename(staging, folder);
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
  return folder;
}

function must(program, words, cwd) {
  const { status, stderr, error } = spawnSync(program, words, { cwd, encoding: "utf8" });
  const reason = error?.message ?? (status === 0 ? undefined : stderr.trim().split("\n").at(-1));
  if (reason !== undefined) throw new Unavailable(`${program} ${words.slice(0, 3).join(" ")}: ${reason}`);
}
