import assert from "node:assert/strict";
import { choiceIn } from "../../src/agents/setup/read-choice.js";
import { Glob } from "../../src/base/glob.js";
import { redactText } from "../../src/base/redact.js";
import { matchesStars } from "../../src/base/star-pattern.js";
import { parseXml } from "../../src/base/xml.js";
import { expandTemplate } from "../../src/context/node/commands-source.js";
import { withoutTags } from "../../src/base/acp/marked-text.js";
import { importsOf } from "../../src/context/planned-rules.js";
import { ruleScope } from "../../src/context/rule-scope.js";
import { concerns, faultOfCommandPattern } from "../../src/guard/command-pattern.js";
import { faultOfPathPattern, matchesPath } from "../../src/guard/path-pattern.js";
import { golang } from "../../src/extensions/packages/go/go-declarations.js";
import { parseGoMod } from "../../src/base/go-mod.js";
import { noCatalog, parseGradleScript } from "../../src/extensions/packages/jvm/gradle-build.js";
import { java } from "../../src/extensions/packages/jvm/jvm-declarations.js";
import { ModuleFile, typescript } from "../../src/extensions/packages/npm/declarations/module-file.js";
import { parseRequirements } from "../../src/extensions/packages/python/other-locks.js";
import { python } from "../../src/extensions/packages/python/python-items.js";
import { type Declaring, DeclaringLines } from "../../src/extensions/packages/text/declaring-lines.js";
import { parseProgram } from "../../src/extensions/ide-operations/program/parse-program.js";
import { rust } from "../../src/extensions/ferris/rust/rust-lines.js";
import { readManifest } from "../../src/agents/recommendations/manifests.js";
import { readGoVet, readMypy, readTypescript } from "../../src/extensions/runs/check-report.js";
import { shortenedOutput } from "../../src/extensions/runs/shortened-output.js";
import { knownWords } from "../../src/extensions/runs/runner-words.js";
import { pytestWords } from "../../src/extensions/runs/pytest-words.js";
import { mayHaveRun } from "../../src/sessions/usage/test-or-build-command.js";
import { prefixesOf } from "../../src/extensions/packages/go/module-path.js";
import { matchIn, toPattern } from "../../src/extensions/packages/text/line-search.js";
import { parseUse } from "../../src/extensions/ferris/rust/use-declaration.js";
import { plainName as plainSymbol } from "../../src/extensions/ide-operations/symbols/outline.js";
import { isSparkleSpaceIgnored } from "../../src/extensions/sparkle/ignore-rules.js";
import { namedInCommand } from "../../src/base/safety/named-programs.js";
import { sensitiveFile } from "../../src/base/safety/sensitive-file.js";
import { readShell } from "../../src/base/safety/shell-reading.js";
import { visibleText } from "../../src/base/safety/visible-text.js";
import { couldBe } from "../../src/context/servers/variables.js";
import { parseShellWords } from "../../src/base/shell-words.js";
import { slowPieces } from "../../testing/node/scaling.js";
import { redactParams } from "../../src/sessions/trace/redact-params.js";

const line = "a".repeat(200);

/** Matchers of texts that agents, repositories, pages and servers write. */
const matchers: Readonly<Record<string, (text: string) => unknown>> = {
  "a glob": (text) => new Glob(text).matches(line),
  "a path that a glob is held against": (text) => new Glob("**/*a*a*b/{a,*c}/**").matches(text),
  "a pattern with stars": (text) => matchesStars(text, line),
  "a text that stars are held against": (text) => matchesStars("*a*a*b*", text),
  "the path pattern of a rule": (text) =>
    faultOfPathPattern(text) ?? matchesPath(text, { path: line, real: line }, { roots: ["/"], home: "/" }),
  "a path that a rule is held against": (text) =>
    matchesPath("src/**/*a*a*b", { path: text, real: text }, { roots: ["/"], home: "/" }),
  "a path that may be sensitive": (text) => sensitiveFile(text.split("/")),
  "the command pattern of a rule": (text) => faultOfCommandPattern(text) ?? concerns(text, "git push a b c"),
  "a command": (text) => namedInCommand(text),
  "a command that a rule is held against": (text) => concerns("git push", text),
  "a command for a shell": (text) => readShell(text, "linux"),
  "words of a shell": (text) => parseShellWords(text),
  "a text that is shown": (text) => visibleText(text, "It"),
  "a text with credentials": (text) => redactText(text),
  "parameters with credentials": (text) => redactParams({ args: ["--user", text], text }),
  "globs of a file with rules": (text) => ruleScope({ globs: text }),
  "imports of a file with rules": (text) =>
    importsOf({
      path: "/w/a.md",
      title: "a.md",
      form: undefined,
      isUsers: false,
      folder: "/w",
      text,
      scope: { kind: "always" },
    }),
  "a slash command": (text) => expandTemplate(text, text),
  "a text with tags": (text) => withoutTags(text, "symposium-context"),
  "a document of XML": (text) => parseXml(`<a ${text}`),
  "a choice": (text) => choiceIn(text, [{ id: "a", name: "b" }]),
  "an import path of Go": (text) => prefixesOf(text),
  "a use declaration of Rust": (text) => parseUse(`use ${text};`),
  "a name of a symbol": (text) => plainSymbol(text),
  "a regular expression of an agent": (text) => matchIn(line, toPattern(text)),
  "a line that is searched": (text) => matchIn(text, toPattern("a*a*b")),
  "a file of Go": (text) => declarationsIn(`func (${text}`, golang),
  "a go.mod": (text) => parseGoMod(text),
  "a Gradle script": (text) => parseGradleScript(text, "build.gradle", noCatalog, new Map()),
  "a file of Java": (text) => declarationsIn(text, java),
  "a module of TypeScript": (text) => [new ModuleFile("a", text).exportedNames, declarationsIn(text, typescript)],
  "requirements of Python": (text) => parseRequirements(`a ${text}`),
  "a module of Python": (text) => declarationsIn(`class a${text}`, python),
  "a file of Rust": (text) => declarationsIn(text, rust),
  "a program of IDE operations": (text) => parseProgram(text),
  "a manifest of Maven": (text) => readManifest("pom.xml", `<project>${text}`),
  "a manifest of Gradle": (text) => readManifest("build.gradle", text),
  "a manifest of Python": (text) => readManifest("requirements.txt", text),
  "a report of checkers": (text) => [readTypescript(text), readMypy(text), readGoVet(text)],
  "what a test runner says": (text) => [
    shortenedOutput(text, 100),
    ...[...knownWords, pytestWords].map((words) => words.told([text.slice(0, 1_000)])),
  ],
  "a command that may have been run": (text) => mayHaveRun(text),
  "a list of ignored files": (text) => isSparkleSpaceIgnored([{ below: "", text }]),
  "a word of a server's launch": (text) => couldBe("a${env:A}b${env:B}c", text),
};

function declarationsIn(text: string, declaring: Declaring): unknown {
  const lines = new DeclaringLines("a", text, declaring);
  return [lines.names, lines.named("a"), lines.memberNames(0), lines.bases(0), lines.item(0)];
}

describe("matchers of foreign text", function () {
  this.timeout(120_000);
  for (const [name, match] of Object.entries(matchers)) {
    it(`take at most 15 times as long for ten times the text: ${name}`, () => {
      assert.deepEqual(slowPieces(match), []);
    });
  }
});
