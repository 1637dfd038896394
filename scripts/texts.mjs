// npm run texts: lists the extension's English texts in vscode-extension/l10n/bundle.l10n.json, for translators.
//   --check           only compares the list with the sources
//   --pseudo FOLDER   writes accented texts into an unpacked extension: in the language qps-ploc, a text without accents can't be
//                     translated
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { l10nDevFolder } from "./release/release-tools.mjs";
import { fail, root } from "./set-up.mjs";

const extension = join(root, "vscode-extension");
const list = join(extension, "l10n/bundle.l10n.json");

const options = { check: { type: "boolean" }, pseudo: { type: "string" } };
const { values } = parseArgs({ options });
const { getL10nJson, getL10nPseudoLocalized } = createRequire(import.meta.url)(await l10nDevFolder());
const texts = await extracted();

if (values.pseudo !== undefined) {
  const manifest = JSON.parse(await readFile(join(extension, "package.nls.json"), "utf8"));
  await mkdir(join(values.pseudo, "l10n"), { recursive: true });
  await writeJson(join(values.pseudo, "l10n/bundle.l10n.qps-ploc.json"), getL10nPseudoLocalized(texts));
  await writeJson(join(values.pseudo, "package.nls.qps-ploc.json"), getL10nPseudoLocalized(manifest));
} else if (values.check === true) {
  if (jsonText(texts) !== (await readFile(list, "utf8"))) fail(`${list} is not up to date: run npm run texts.`);
} else await writeJson(list, texts);

/** The texts that the sources pass to `l10n.t`, sorted. */
async function extracted() {
  const sources = [];
  for (const folder of ["src", "webview", "protocol"]) {
    const names = await readdir(join(extension, folder), { recursive: true });
    for (const name of names.filter((one) => one.endsWith(".ts"))) {
      const contents = await readFile(join(extension, folder, name), "utf8");
      sources.push({ extension: ".ts", contents });
    }
  }
  const found = Object.entries(await getL10nJson(sources));
  return Object.fromEntries(found.sort(([one], [other]) => (one < other ? -1 : 1)));
}

function jsonText(value) {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}

function writeJson(file, value) {
  return writeFile(file, jsonText(value));
}
