import assert from "node:assert/strict";
import { readTestScript, type ScriptRunner, wordsFor } from "../../../src/extensions/test-tools/test-script.js";

/** A script's runner and words, a pattern without quotes in `<>`; those of Node behind `node`. */
function read(test: string, others: Readonly<Record<string, string>> = {}): string | undefined {
  const script = readTestScript({ ...others, test });
  if (!script) return undefined;
  const shown = (words: typeof script.words): string[] =>
    words.map(({ text, isPattern }) => (isPattern ? `<${text}>` : text));
  const env = Object.entries(script.env).map(([name, value]) => `${name}=${value}`);
  const node = script.nodeWords.length === 0 ? [] : ["node", ...shown(script.nodeWords)];
  return [...env, ...node, script.runner, ...shown(script.words)].join(" ");
}

describe("a project's own test script", () => {
  const known: readonly (readonly [script: string, means: string])[] = [
    ["mocha --recursive", "mocha --recursive"],
    ["mocha 'test/**/*.test.js' --timeout 5000", "mocha test/**/*.test.js --timeout 5000"],
    ["mocha test/*.js", "mocha <test/*.js>"],
    ["./node_modules/.bin/mocha -r ts-node/register", "mocha -r ts-node/register"],
    ["jest --config conf/jest.json", "jest --config conf/jest.json"],
    ["NODE_OPTIONS=--experimental-vm-modules npx jest --ci", "NODE_OPTIONS=--experimental-vm-modules jest --ci"],
    ["node --experimental-vm-modules node_modules/jest/bin/jest.js -i", "node --experimental-vm-modules jest -i"],
    ["cross-env NODE_ENV=test TZ=UTC jest", "NODE_ENV=test TZ=UTC jest"],
    ["vitest", "vitest"],
    ["playwright test --config conf/e2e.ts shop", "playwright --config conf/e2e.ts shop"],
    ["npx playwright test", "playwright"],
    ["vitest run --dir src", "vitest --dir src"],
    ["vitest -c conf/vitest.ts run unit", "vitest -c conf/vitest.ts unit"],
    ["node --test --import tsx 'src/**/*.test.ts'", "node --import tsx src/**/*.test.ts node"],
    ["node --import=tsx --test src/*.test.ts", "node --import=tsx <src/*.test.ts> node"],
    ["tsx --test src/a.test.ts", "node --import tsx src/a.test.ts node"],
    ["c8 mocha --exit", "mocha --exit"],
    ["c8 --check-coverage --lines 99 --include 'src/**' mocha --exit", "mocha --exit"],
    ["nyc --reporter=text npx jest --ci", "jest --ci"],
    ["c8 -r lcov cross-env NODE_ENV=test mocha --exit", "NODE_ENV=test mocha --exit"],
    ["c8 --lines 99 node --import tsx --test src/a.test.ts", "node --import tsx src/a.test.ts node"],
    ["bun test --timeout 200 src", "bun --timeout 200 src"],
    ["pnpm exec vitest --globals", "vitest --globals"],
  ];
  for (const [script, means] of known) it(`${script} is understood`, () => assert.equal(read(script), means));

  const unknown = [
    ["mocha && eslint ."],
    ["tsc -b; mocha"],
    ["mocha | tee log"],
    ["mocha $FILES"],
    ['mocha "$FILES"'],
    ["mocha `ls`"],
    ["mocha test/{a,b}.js"],
    ["mocha --exit # later"],
    ["mocha 'test"],
    ["jest -- part"],
    ["vitest bench"],
    ["node scripts/test.mjs"],
    ["node scripts/mocha.js"],
    ["npm run lint && npm run unit"],
    ["make test"],
    [""],
  ] as const;
  for (const [script] of unknown) it(`${script || "an empty one"} is not`, () => assert.equal(read(script), undefined));

  it("keeps what counts lines around it, with its options", () => {
    const counter = (test: string): object | undefined => readTestScript({ test })?.counter;
    assert.deepEqual(
      [counter("c8 --lines 99 mocha"), counter("c8 mocha"), counter("mocha")],
      [{ name: "c8", words: ["--lines", "99"] }, { name: "c8", words: [] }, undefined],
    );
    assert.deepEqual(readTestScript({ test: "npm run unit", unit: "nyc --silent npx mocha" })?.counter, {
      name: "nyc",
      words: ["--silent"],
    });
    const another = (test: string): unknown => readTestScript({ test, unit: "mocha" })?.counter;
    assert.deepEqual(another("c8 npm run unit"), { name: "c8", words: [] });
    assert.deepEqual(another("c8 -r text npm run unit"), { name: "c8", words: ["-r", "text"] });
    assert.equal(readTestScript({ test: "c8 --lines 99 node check.js" }), undefined);
  });

  it("may run another one, and ends where they run each other", () => {
    assert.equal(read("npm run unit", { unit: "mocha --recursive" }), "mocha --recursive");
    assert.equal(read("CI=1 yarn unit", { unit: "jest --ci" }), "CI=1 jest --ci");
    assert.equal(read("npm run a", { a: "npm run b", b: "npm run a" }), undefined);
    assert.equal(read("npm run build", {}), undefined);
  });

  const chosen: readonly (readonly [ScriptRunner, script: string, files: string, names: string])[] = [
    [
      "mocha",
      "--recursive test -t 5 --spec a.js -g part",
      "--recursive -t 5 -g part",
      "--recursive test -t 5 --spec a.js",
    ],
    ["mocha", "-R dot --watch --exit test", "--exit", "--exit test"],
    ["jest", "--ci src --config x -t part", "--ci --config x -t part", "--ci src --config x"],
    ["jest", "--projects a b --watchAll --testPathPattern c", "--projects a b", "--projects a b --testPathPattern c"],
    ["vitest", "--watch --dir src unit --reporter=dot", "--dir src --reporter=dot", "--dir src unit --reporter=dot"],
    ["mocha", "--watch test/a.js test/b.js", "", "test/a.js test/b.js"],
    ["mocha", "-w test/a.js", "", "test/a.js"],
    ["jest", "--watch src", "", "src"],
    ["jest", "--watchAll src -w 2 -c conf.json", "-w 2 -c conf.json", "src -w 2 -c conf.json"],
    ["jest", "--listTests src --bail unit", "--bail", "src --bail unit"],
    ["vitest", "--ui src --open a --standalone b -w c", "", "src a b c"],
    [
      "node",
      "--import tsx a.ts --test-reporter=dot --test-name-pattern b",
      "--import tsx --test-name-pattern b",
      "--import tsx a.ts",
    ],
  ];
  for (const [runner, script, files, names] of chosen) {
    it(`of ${runner} ${script} keeps what a call does not choose itself`, () => {
      const words = script.split(" ");
      assert.deepEqual(
        [
          wordsFor(runner, words, { files: true, names: false }).join(" "),
          wordsFor(runner, words, { files: false, names: true }).join(" "),
        ],
        [files, names],
      );
    });
  }
});
