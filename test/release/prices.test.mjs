import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { pricesDate, pricesFile, renderPrices } from "../../scripts/prices.mjs";
import { bundledPackages, dataPackages } from "../../scripts/release/bundled-packages.mjs";
import { root } from "../../scripts/set-up.mjs";

const name = "@pydantic/genai-prices";

describe("the table of models' prices", () => {
  it("is of the package's version in the lock, whose licence goes with it", async () => {
    const lock = JSON.parse(await readFile(join(root, "package-lock.json"), "utf8"));
    const { version, license } = lock.packages[`node_modules/${name}`];
    const [file] = Object.keys(dataPackages);
    const inputs = relative(root, join(await mkdtemp(join(tmpdir(), "symposium-prices-")), "inputs.json"));
    await writeFile(join(root, inputs), JSON.stringify([file]));
    const [noticed] = await bundledPackages(inputs);
    await rm(dirname(join(root, inputs)), { recursive: true });
    assert.deepEqual([noticed.name, noticed.version, noticed.license], [name, version, license]);
    assert.match(noticed.text, /Pydantic Services Inc\.[^]*Permission is hereby granted/);
    assert.ok((await readFile(pricesFile, "utf8")).includes(`${name} ${version} (${license})`));
  });

  it("is what the package says for its date", async function () {
    if (!existsSync(join(root, "node_modules", name))) {
      process.stderr.write(`skipped: ${name} is not installed here; run \`npm ci\`\n`);
      return this.skip();
    }
    assert.equal(await readFile(pricesFile, "utf8"), await renderPrices(await pricesDate()));
  });

  it("prices what models of each maker cost", async () => {
    const text = await readFile(pricesFile, "utf8");
    for (const model of ["claude-", "gpt-5", "gemini-3"]) assert.ok(text.includes(`^${model}`), model);
  });
});
