// npm run prices: regenerates the table of model prices from the locked version of the package.
import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { dataPackages } from "./release/bundled-packages.mjs";
import { root } from "./set-up.mjs";

const name = "@pydantic/genai-prices";
const input = "core/src/sessions/usage/model-prices.ts";
export const pricesFile = join(root, input);

/** Makers of the models that agents use, without resellers. */
const providers = ["anthropic", "openai", "google", "x-ai", "deepseek", "moonshotai", "mistral"];
/** Models that no agent talks with. */
const others = /image|audio|video|tts|realtime|embed|moderation|whisper|sora|veo|imagen|transcribe|search|robotics/;

/** The file as TypeScript, with the prices that hold on `date` (YYYY-MM-DD). */
export async function renderPrices(date) {
  const { findProvider } = await import(name);
  const { version, license } = JSON.parse(await readFile(await manifest(), "utf8"));
  const lines = providers.flatMap((providerId) =>
    findProvider({ providerId }).models.flatMap(({ id, match, prices }) => {
      const { input_mtok, cache_read_mtok, cache_write_mtok, output_mtok } = pricesOn(date, prices);
      const pattern = patternOf(match);
      if (
        others.test(id) ||
        !base(input_mtok) ||
        !base(output_mtok) ||
        /[\s`\\]|\$\{/.test(pattern.replaceAll("\\.", ""))
      )
        return [];
      return [
        [
          pattern,
          ...[input_mtok, cache_read_mtok, cache_write_mtok, output_mtok].map((price) => base(price) ?? "-"),
        ].join(" "),
      ];
    }),
  );
  return `// Made by \`npm run prices\` from ${name} ${version} (${license}), (c) Pydantic Services Inc.: list prices on ${date}.

export const pricesDate = "${date}";

/** One model per line: a pattern, then dollars per million tokens of input, cache reads, cache writes and output. */
export const modelPrices = String.raw\`
${lines.join("\n")}
\`;
`;
}

/** The date of the table that is there. */
export async function pricesDate() {
  return /pricesDate = "([\d-]+)"/.exec(await readFile(pricesFile, "utf8"))?.[1];
}

async function manifest() {
  const entry = createRequire(import.meta.url).resolve(name);
  return join(entry, "../../package.json");
}

/** Returns the prices on `date`. If prices changed or depend on the time of day, returns the latest ones that apply all day. */
function pricesOn(date, prices) {
  if (!Array.isArray(prices)) return prices;
  const holding = prices.filter(
    ({ constraint }) => !constraint || (constraint.type === "start_date" && constraint.start_date <= date),
  );
  return holding.at(-1)?.prices ?? {};
}

/** Of a price in tiers, the lowest: how long each request was, nobody says. */
function base(price) {
  return typeof price === "object" ? price.base : price;
}

function patternOf(match) {
  if (match.equals !== undefined) return `^${quoted(match.equals)}$`;
  if (match.starts_with !== undefined) return `^${quoted(match.starts_with)}`;
  if (match.ends_with !== undefined) return `${quoted(match.ends_with)}$`;
  if (match.contains !== undefined) return quoted(match.contains);
  if (match.regex !== undefined) return match.regex;
  if (match.or !== undefined) return match.or.map(patternOf).join("|");
  return match.and.map((part) => `(?=.*(?:${patternOf(part)}))`).join("");
}

function quoted(text) {
  return text.toLowerCase().replace(/[.+*?()[\]{}|^$]/g, "\\$&");
}

/** Writes the table, and the licence that has to go with it. */
async function main() {
  await writeFile(pricesFile, await renderPrices(new Date().toISOString().slice(0, 10)));
  const folder = join(root, dataPackages[input]);
  await mkdir(folder, { recursive: true });
  const file = await manifest();
  const { version, license } = JSON.parse(await readFile(file, "utf8"));
  await writeFile(join(folder, "package.json"), `${JSON.stringify({ name, version, license }, undefined, 2)}\n`);
  await copyFile(join(dirname(file), "LICENSE"), join(folder, "LICENSE"));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
