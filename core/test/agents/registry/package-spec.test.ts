import assert from "node:assert/strict";
import { isNpmPackage, toPythonRequirement } from "../../../src/agents/registry/package-spec.js";

describe("isNpmPackage", () => {
  const packages = [
    "a",
    "@scope/a",
    "a@1.2.3",
    "@scope/a@1.2.3-rc.1+build",
    "a@latest",
    "@s/a@^1",
    "a@>=1.0 <2",
    "JSONStream",
  ];
  for (const text of packages) it(`knows ${text}`, () => assert.ok(isNpmPackage(text)));

  const others = [
    "",
    "-g",
    "--yes",
    "a b",
    "./a",
    "../a",
    "a/b",
    "@a",
    "git+https://a.example/b",
    "a@npm:b",
    "a@file:b",
    "a@",
    "a@-x",
    "a;b",
    "a\nb",
  ];
  for (const text of others) it(`refuses ${JSON.stringify(text)}`, () => assert.ok(!isNpmPackage(text)));
});

describe("toPythonRequirement", () => {
  const requirements = [
    ["a", "a"],
    ["a==1.0", "a==1.0"],
    ["a@1.0", "a==1.0"],
    ["a @ 1.0", "a==1.0"],
    ["a@latest", "a"],
    ["a[x,y]==1.0", "a[x,y]==1.0"],
    ["a[x, y] >= 1.0, < 2", "a[x,y]>=1.0,<2"],
    ["a-b.c_d~=1.4", "a-b.c_d~=1.4"],
    ["a===1.0+local", "a===1.0+local"],
  ] as const;
  for (const [text, expected] of requirements) {
    it(`writes ${text} as ${expected}`, () => assert.equal(toPythonRequirement(text), expected));
  }

  const others = [
    "",
    "-r",
    "--pre",
    "a b",
    "./a",
    "a @ https://a.example/a.whl",
    "git+https://a.example/a",
    "a==",
    "a;b",
    "a==1;python_version>'3'",
  ];
  for (const text of others)
    it(`refuses ${JSON.stringify(text)}`, () => assert.equal(toPythonRequirement(text), undefined));
});
