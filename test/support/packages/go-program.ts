import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { runToEnd } from "../child.js";
import { environmentOfThisMachine } from "../environment.js";
import { pathWith } from "../repository.js";
import { whileLocked } from "./file-lock.js";
import { lastLines, packageCache } from "./install-package.js";

const buildLimitMs = 5 * 60_000;
/** Variables for the module sources and folders of the user's Go. */
const goNames = ["GOPROXY", "GOSUMDB", "GONOSUMDB", "GOPRIVATE", "GOPATH", "GOCACHE", "GOMODCACHE", "GOROOT"];

/** The program that the Go module in `source` makes, built once for each of its contents, or why there is none. */
export async function goProgram(source: string): Promise<{ readonly program: string } | { readonly missing: string }> {
  const hash = createHash("sha256");
  for (const name of (await readdir(source)).sort())
    hash.update(`${name}\0`).update(await readFile(join(source, name)));
  const program = join(
    packageCache(),
    `go-${hash.digest("hex").slice(0, 16)}${process.platform === "win32" ? ".exe" : ""}`,
  );
  const problem = existsSync(program) ? undefined : await whileLocked(`${program}.lock`, () => build(source, program));
  return problem === undefined ? { program } : { missing: problem };
}

/** Returns the problem, or undefined when it is there. */
async function build(source: string, program: string): Promise<string | undefined> {
  if (existsSync(program)) return undefined;
  const staging = `${program}.staging`;
  const given = goNames.flatMap((name) =>
    process.env[name] === undefined ? [] : [[name, process.env[name]] as const],
  );
  const go = { GOFLAGS: "-mod=mod", GOTOOLCHAIN: "local", CGO_ENABLED: "0", ...Object.fromEntries(given) };
  const env = { ...environmentOfThisMachine(), PATH: pathWith(), ...go };
  await mkdir(packageCache(), { recursive: true });
  try {
    const version = await runToEnd({ words: ["go", "version"], env, cwd: source }, buildLimitMs);
    if (version.code !== 0) return `Go does not run here: ${lastLines(version.stderr)}`;
    const built = await runToEnd({ words: ["go", "build", "-o", staging, "."], env, cwd: source }, buildLimitMs);
    if (built.code !== 0) return `the Go client cannot be built here: ${lastLines(built.stderr)}`;
    await rename(staging, program);
    return undefined;
  } finally {
    await rm(staging, { force: true });
  }
}
