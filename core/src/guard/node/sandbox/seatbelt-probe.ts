import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { askProgram } from "../../../base/node/ask-program.js";
import { realPath } from "./machine-paths.js";
import { Seatbelt } from "./seatbelt.js";

const probeMs = 30_000;
const secret = "probe-secret";

/** Script that Node runs in the sandbox. It prints `done` or the error code for each attempt. */
const script = `
const fs = require("node:fs");
const { OUTSIDE, OWNER } = process.env;
const told = {};
const attempt = (name, work) => {
  try {
    told[name] = String(work() ?? "done");
  } catch (error) {
    told[name] = error.code ?? "failed";
  }
};
attempt("write its folder", () => fs.writeFileSync("own", "x"));
attempt("write its temporary folder", () => fs.writeFileSync(process.env.TMPDIR + "/own", "x"));
attempt("read a file outside", () => void fs.readFileSync(OUTSIDE));
attempt("list a folder outside", () => void fs.readdirSync(OUTSIDE + "/.."));
attempt("write a file outside", () => fs.writeFileSync(OUTSIDE, "x"));
attempt("write outside by a link", () => (fs.symlinkSync(OUTSIDE, "link"), fs.writeFileSync("link", "x")));
attempt("write outside by a hard link", () => (fs.linkSync(OUTSIDE, "hard"), fs.writeFileSync("hard", "x")));
attempt("write a hook of git", () => fs.writeFileSync(".git/hooks/made", "x"));
attempt("rename .git", () => fs.renameSync(".git", "moved"));
attempt("make .vscode", () => fs.mkdirSync(".vscode"));
attempt("make .VSCode", () => fs.mkdirSync(".VSCode"));
attempt("signal the process that started it", () => void process.kill(Number(OWNER), 0));
const socket = require("node:net").connect(1, "127.0.0.1");
const end = (code) => {
  // Nobody listens on that port, so an answer to that effect has left the sandbox.
  told["connect to this machine"] = code === "ECONNREFUSED" ? "done" : code;
  process.stdout.write(JSON.stringify(told));
  process.exit();
};
socket.on("connect", () => end("done"));
socket.on("error", (error) => end(error.code));
`;

const works: readonly string[] = ["write its folder", "write its temporary folder"];

/**
 * Tests in a Seatbelt sandbox that forbidden actions on test files fail, and returns a fault if one doesn't. Needed because the effect of
 * Seatbelt rules can't be inspected from outside; agents start only on machines that pass.
 */
export async function seatbeltFault(program: string): Promise<string | undefined> {
  const made = mkdtempSync(join(tmpdir(), "symposium-probe-"));
  try {
    return await faultIn(program, realPath(made) ?? made);
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
}

async function faultIn(program: string, folder: string): Promise<string | undefined> {
  const [home, project, outside] = ["home", "home/project", "home/outside"].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  for (const path of [join(project, ".git", "hooks"), outside]) mkdirSync(path, { recursive: true });
  const file = join(outside, "file");
  writeFileSync(file, secret);
  const subject = { id: "probe", needs: undefined, roots: [project], ownPrograms: [process.execPath] };
  const configFolder = join(home, ".symposium");
  const confined = new Seatbelt({ program, subject: () => ({ ...subject, configFolder, home }) });
  const given = { OUTSIDE: file, OWNER: String(process.pid), ELECTRON_RUN_AS_NODE: "1" };
  const options = { confined, given, cwd: project, timeoutMs: probeMs };
  const { stdout, fault } = await askProgram([process.execPath, "-e", script], options);
  const told = readTold(stdout);
  if (!told) return fault ?? "it started something else";
  const broken = works.filter((name) => told[name] !== "done");
  if (broken.length > 0) return `a program in it can't do what it needs: ${broken.join(", ")}`;
  const open = Object.keys(told).filter((name) => told[name] === "done" && !works.includes(name));
  const isChanged = readFileSync(file, "utf8") !== secret || existsSync(join(project, ".git", "hooks", "made"));
  if (open.length === 0 && !isChanged) return undefined;
  return `it does not block what it should: ${open.join(", ") || "a file was changed"}`;
}

function readTold(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}
