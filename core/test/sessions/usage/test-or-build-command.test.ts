import assert from "node:assert/strict";
import { namedPrograms } from "../../../src/base/safety/named-programs.js";
import { isRun, mayHaveRun } from "../../../src/sessions/usage/test-or-build-command.js";

const isCounted = (line: string): boolean => mayHaveRun(line) && namedPrograms(line).some((words) => isRun(words));

describe("a command line", () => {
  const runs = [
    "npm test",
    "npm t -- --bail",
    "npm run test:unit",
    "npm run -s lint",
    "npx vitest run src/a.test.ts",
    "npx --yes vitest@4 run",
    "pnpm -r test",
    "pnpm exec eslint .",
    "yarn jest",
    "bun test",
    "turbo run test --filter web",
    "nx run web:test",
    "nx run-many -t test",
    "node --test",
    "node ./node_modules/.bin/mocha",
    "python -m pytest -x",
    "python3.12 -m mypy .",
    "uv run pytest -q",
    "uv run --with x pytest",
    "poetry run ruff check",
    ".venv/bin/pytest",
    "go test ./...",
    "go vet ./...",
    "cargo +nightly test",
    "cargo nextest run",
    "./gradlew :app:test",
    "mvn -B -q verify",
    "make",
    "make test",
    "tsc --noEmit",
    "cd /x && CI=1 npx vitest run 2>&1 | tail -50",
    "bash -lc 'npm test'",
    'bash -lc "cd web && timeout 60 npm test"',
    "for i in 1 2; do pytest -q; done",
    "if npm run lint; then echo ok; fi",
    "(cd a; go test ./...) > log.txt || true",
    "time env A=1 pytest",
    "echo $(npm test)",
  ];
  for (const line of runs) {
    it(`is a run of tests, checks or a build: ${line}`, () => assert.equal(isCounted(line), true));
  }

  const others = [
    "ls test",
    "grep -rn 'npm test' .",
    "cat vitest.config.ts",
    "git commit -m 'npm test passes'",
    "npm install vitest",
    "npm ci",
    "pip install pytest",
    "pytest --version",
    "go mod tidy",
    "go run .",
    "cargo add serde",
    "ruff format .",
    "make clean",
    "node build.js",
    "python manage.py test_data",
    "echo npm test",
    "cat <<EOF\nnpm test\nEOF",
    "npm run dev",
    "",
  ];
  for (const line of others) {
    it(`is none: ${line.split("\n")[0]}`, () => assert.equal(isCounted(line), false));
  }

  it("is not read where it is longer than anybody's, or has shells in shells without end", () => {
    assert.deepEqual(namedPrograms(`npm test ${"x".repeat(10_000)}`), []);
    const nested = (depth: number): string =>
      depth === 0 ? "npm test" : `bash -c '${nested(depth - 1).replaceAll("'", "'\\''")}'`;
    assert.deepEqual(
      [1, 3, 4].map((depth) => isCounted(nested(depth))),
      [true, true, false],
    );
  });
});
