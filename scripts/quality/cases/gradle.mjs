// Recorded cases of Gradle 4.4, which is Debian's version, with JUnit 4.
import { mavenCases } from "./maven.mjs";

const shop = mavenCases[0].files;
const build = `apply plugin: 'java'

repositories { mavenCentral() }
dependencies { testCompile 'junit:junit:4.13.2' }
`;
const passing = `package shop;

import static org.junit.Assert.*;

import org.junit.*;

public class MoneyTest {
${Array.from({ length: 24 }, (_, n) => `  @Test\n  public void adds${n}() {\n    assertEquals(${n + 1}, Money.add(${n}, 1));\n  }\n`).join("\n")}}
`;
const common = {
  "settings.gradle": "rootProject.name = 'shop'\n",
  "build.gradle": build,
  "src/main/java/shop/Money.java": shop["src/main/java/shop/Money.java"],
  "src/main/java/shop/Stock.java": shop["src/main/java/shop/Stock.java"],
  "src/test/java/shop/MoneyTest.java": passing,
};
/** The text of a class begins on line 7. */
const faulty = (text) => ({
  "src/test/java/shop/FaultyTest.java": `package shop;\n\nimport static org.junit.Assert.*;\n\nimport org.junit.*;\n\n${text}\n`,
});
const one = (name, files, signals, more = {}) => ({
  ...{ runner: "gradle", name, files: { ...common, ...files }, signals, timeoutMs: 240_000 },
  ...more,
});

export const gradleCases = [
  one("pass", {}, [["24 passed", "BUILD SUCCESSFUL"]], { passes: true }),
  one(
    "faults",
    faulty(`public class FaultyTest {
  @Test
  public void freshRate() {
    assertEquals(104, Stock.rateOf("10:12"));
  }

  @Test
  public void knowsEveryItem() {
    assertEquals(120, Stock.priceOf("tea"));
  }

  @Ignore
  @Test
  public void later() {}
}`),
    [
      "freshRate",
      "FaultyTest.java:10",
      "expected:<104> but was:<100>",
      "cache: stale since 09:41, now 10:12",
      "knowsEveryItem",
      "FaultyTest.java:15",
      "no such item: tea",
      "Stock.java:11",
    ],
  ),
  one(
    "set-up",
    faulty(
      'public class FaultyTest {\n  @BeforeClass\n  public static void opens() {\n    throw new IllegalStateException("database is not up");\n  }\n\n  @Test\n  public void never() {}\n}',
    ),
    ["FaultyTest", "database is not up", "FaultyTest.java:10"],
  ),
  one("load", faulty("public class FaultyTest {\n  @Test\n  public void never() {\n    new Nowhere().go();\n  }\n}"), [
    "FaultyTest.java:10",
    "cannot find symbol",
    "class Nowhere",
  ]),
  one("script", { "build.gradle": `${build}\nnowhere {\n}\n` }, [
    ["build.gradle:6", "build.gradle' line: 6"],
    "nowhere()",
  ]),
  one(
    "leaves",
    faulty("public class FaultyTest {\n  @Test\n  public void leavesEarly() {\n    System.exit(3);\n  }\n}"),
    ["finished with non-zero exit value 3"],
  ),
];
