// npm run docs: builds the documentation site into dist-docs; `-- --open` serves it on this machine.
import { readFileSync } from "node:fs";
import { cp, mkdir, rm, writeFile } from "node:fs/promises";
import { join, sep } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { llmsText } from "./docs/llms-text.mjs";
import { groups, pages } from "./docs/pages.mjs";
import { siteProblems } from "./docs/site-problems.mjs";
import siteConfig from "./docs/vitepress-config.mjs";
import { product } from "./release/identity.mjs";
import { vitepressFolder } from "./release/release-tools.mjs";
import { fail, root } from "./set-up.mjs";

const { values } = parseArgs({ options: { open: { type: "boolean" } } });
const staged = join(root, ".cache/docs");

const tool = await vitepressFolder();
await stage();
const { build, serve } = await import(pathToFileURL(join(tool, "dist/node/index.js")).href);
await build(staged);
await writeFile(
  join(siteConfig.outDir, "llms.txt"),
  llmsText({
    name: product.name,
    summary: siteConfig.description,
    address: product.site,
    groups,
    textOf: (file) => readFileSync(join(root, file), "utf8"),
  }),
);
const problems = await siteProblems(siteConfig.outDir, siteConfig.base);
if (problems.length > 0) fail(problems.join("\n"));
console.log(siteConfig.outDir);
if (values.open) await serve({ root: staged });

/** VitePress wants its sources and its configuration in one folder; ours are where readers of the repository look. */
async function stage() {
  await rm(staged, { recursive: true, force: true });
  await mkdir(join(staged, ".vitepress/theme"), { recursive: true });
  for (const { name, file } of pages) await cp(join(root, file), join(staged, `${name}.md`));
  await cp(join(root, "docs/images"), join(staged, "images"), { recursive: true });
  await cp(join(root, "vscode-extension/media/icon.svg"), join(staged, "public/icon.svg"));
  const config = pathToFileURL(join(root, "scripts/docs/vitepress-config.mjs")).href;
  await writeFile(join(staged, ".vitepress/config.mjs"), `export { default } from ${JSON.stringify(config)};\n`);
  // The other theme brings fonts; the reader's own are good enough.
  const theme = join(tool, "dist/client/theme-default/without-fonts.js").replaceAll(sep, "/");
  await writeFile(join(staged, ".vitepress/theme/index.js"), `export { default } from ${JSON.stringify(theme)};\n`);
}
