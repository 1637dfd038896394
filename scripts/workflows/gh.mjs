// Stands in for GitHub's own `gh` where workflows run on this machine: a release is a folder below GH_RELEASES, with its
// files and a release.json. Knows the words that our workflows use, and refuses others.
import { cp, mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { parseArgs } from "node:util";
import { sha256Of } from "../release/checksums.mjs";

const releases = process.env.GH_RELEASES ?? refuse("GH_RELEASES is not set.");
const flag = { type: "boolean", default: false };
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    draft: { type: "string" },
    title: { type: "string" },
    json: { type: "string" },
    "verify-tag": flag,
    "notes-file": { type: "string" },
    clobber: flag,
  },
  // `--draft` alone says yes.
  args: process.argv.slice(2).map((word) => (word === "--draft" ? "--draft=true" : word)),
});
const [noun, verb, tag, ...files] = positionals;
const verbs = { view, create, upload, edit };
if (noun !== "release" || !Object.hasOwn(verbs, verb) || tag === undefined) refuse(`gh ${positionals.join(" ")}`);
const folder = join(releases, tag);
await verbs[verb]();

async function view() {
  const release = await read();
  const fields = (values.json ?? "").split(",").filter((name) => name !== "");
  const shown = fields.length === 0 ? release : Object.fromEntries(fields.map((name) => [name, release[name]]));
  console.log(JSON.stringify(shown));
}

async function create() {
  await mkdir(folder, { recursive: true });
  const notes = await readFile(values["notes-file"], "utf8");
  await write({ isDraft: values.draft === "true", assets: [], notes });
}

async function upload() {
  const release = await read();
  for (const file of files) {
    const name = basename(file);
    if (!values.clobber && release.assets.some((asset) => asset.name === name)) refuse(`${name} is there already`);
    await cp(file, join(folder, name));
    const asset = { name, state: "uploaded", size: (await stat(file)).size, digest: `sha256:${await sha256Of(file)}` };
    release.assets = [...release.assets.filter((other) => other.name !== name), asset];
    await write(release);
    console.log(`${name} is uploaded`);
  }
}

async function edit() {
  await write({ ...(await read()), isDraft: values.draft === "true" });
}

async function read() {
  return JSON.parse(await readFile(join(folder, "release.json"), "utf8").catch(() => refuse("release not found")));
}

async function write(release) {
  await writeFile(join(folder, "release.json"), JSON.stringify(release));
}

function refuse(message) {
  console.error(message);
  process.exit(1);
}
