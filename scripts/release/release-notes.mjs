// node scripts/release/release-notes.mjs vX.Y.Z: prints what CHANGELOG.md says of that version, as the text of its release.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fail, root } from "../set-up.mjs";
import { changesOf } from "./version.mjs";

const [tag = ""] = process.argv.slice(2);
const changes = changesOf(await readFile(join(root, "CHANGELOG.md"), "utf8"), tag.replace(/^v/, ""));
console.log(changes ?? fail(`CHANGELOG.md has no section for "${tag}".`));
