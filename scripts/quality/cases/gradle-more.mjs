// More of what Gradle is recorded with, written after the reports.
import { gradleCases } from "./gradle.mjs";

const common = gradleCases[0].files;
const build = common["build.gradle"];
const imports =
  "package shop;\n\nimport static org.junit.Assert.*;\n\nimport org.junit.*;\nimport org.junit.runner.RunWith;\n";
/** The text of a class begins on line 7. */
const faulty = (text, name = "Faulty") => ({ [`src/test/java/shop/${name}Test.java`]: `${imports}${text}\n` });
const body = (lines, name = "Faulty") => faulty(`public class ${name}Test {\n${lines}\n}`, name);
const one = (name, files, signals, more = {}) => ({
  ...{ runner: "gradle", name, files: { ...common, ...files }, signals, timeoutMs: 240_000, heldOut: true },
  ...more,
});
const inModule = (module, files) =>
  Object.fromEntries(Object.entries(files).map(([path, text]) => [`${module}/${path}`, text]));
const failsIn = (name) =>
  body(`  @Test\n  public void fails() {\n    fail("${name} is shut");\n  }`, name[0].toUpperCase() + name.slice(1));

export const moreGradleCases = [
  one("nothing", { "src/test/java/shop/MoneyTest.java": "package shop;\n" }, [["no test ran", "BUILD SUCCESSFUL"]], {
    passes: true,
  }),
  one(
    "many",
    body(
      Array.from(
        { length: 12 },
        (_, n) => `  @Test public void wrong${n}() { assertEquals(${2000 + n}, Money.add(${n}, 1000)); }`,
      ).join("\n"),
    ),
    Array.from({ length: 12 }, (_, n) => [
      `wrong${n}`,
      `FaultyTest.java:${8 + n}`,
      `expected:<${2000 + n}> but was:<${1000 + n}>`,
    ]).flat(),
  ),
  one(
    "tear-down",
    body(
      '  @AfterClass\n  public static void locks() {\n    throw new IllegalStateException("could not lock the door");\n  }\n\n  @Test\n  public void opens() {}',
    ),
    ["could not lock the door", "FaultyTest.java:10", ["25 passed", "24 passed"]],
  ),
  one(
    "timeout",
    body("  @Test(timeout = 300)\n  public void waits() throws Exception {\n    Thread.sleep(5000);\n  }"),
    ["waits", "FaultyTest", "300 milliseconds"],
  ),
  one(
    "skips",
    body(
      '  @Ignore\n  @Test\n  public void later() {}\n\n  @Test\n  public void never() {\n    Assume.assumeTrue("not on Mondays", false);\n  }',
    ),
    [["2 skipped", "BUILD SUCCESSFUL"]],
    { passes: true },
  ),
  one(
    "cause",
    body(
      '  @Test\n  public void prices() {\n    try {\n      Stock.priceOf("tea");\n    } catch (RuntimeException error) {\n      throw new IllegalStateException("could not price the basket", error);\n    }\n  }',
    ),
    ["prices", "could not price the basket", "FaultyTest.java:13", "no such item: tea"],
  ),
  one(
    "long",
    body(
      '  @Test\n  public void lists() {\n    StringBuilder text = new StringBuilder();\n    for (int n = 0; n < 120; n++) text.append("item ").append(n).append("\\n");\n    throw new AssertionError("stock differs at line 60:\\n" + text);\n  }',
    ),
    ["lists", "FaultyTest.java:12", "stock differs at line 60"],
  ),
  one(
    "deep",
    body(
      '  static int dig(int depth) {\n    if (depth == 0) throw new RuntimeException("the mine is empty");\n    return dig(depth - 1) + 1;\n  }\n\n  @Test\n  public void digs() {\n    dig(30);\n  }',
    ),
    ["digs", "the mine is empty", "FaultyTest.java:9", "FaultyTest.java:15"],
  ),
  one(
    "modules",
    {
      "settings.gradle": "rootProject.name = 'shop'\ninclude 'front', 'back'\n",
      "build.gradle": `subprojects {\n${build}}\n`,
      ...inModule("front", failsIn("front")),
      ...inModule("back", failsIn("back")),
      "src/test/java/shop/MoneyTest.java": "package shop;\n",
    },
    ["FrontTest.java:10", "front is shut", "BackTest.java:10", "back is shut"],
  ),
  one(
    "parameters",
    faulty(
      '@RunWith(org.junit.runners.Parameterized.class)\npublic class FaultyTest {\n  @org.junit.runners.Parameterized.Parameters(name = "{0}")\n  public static Object[] names() {\n    return new Object[] {"apple", "tea"};\n  }\n\n  private final String name;\n\n  public FaultyTest(String name) {\n    this.name = name;\n  }\n\n  @Test\n  public void isThere() {\n    Stock.priceOf(name);\n  }\n}',
    ),
    ["isThere[tea]", "no such item: tea", "FaultyTest.java:22"],
  ),
  one(
    "expected",
    body("  @Test(expected = RuntimeException.class)\n  public void complains() {\n    Money.add(1, 2);\n  }"),
    ["complains", "Expected exception: java.lang.RuntimeException"],
  ),
  one(
    "broken-main",
    {
      "src/main/java/shop/Money.java":
        "package shop;\n\nclass Money {\n  static int add(int a, int b) {\n    return a +;\n  }\n}\n",
    },
    ["Money.java:5", "illegal start of expression"],
  ),
  one(
    "prints",
    body(
      '  @Test\n  public void speaks() {\n    System.out.println("12 tests failed");\n    System.err.println("BUILD FAILED");\n  }',
    ),
    [["25 passed", "BUILD SUCCESSFUL"]],
    { passes: true },
  ),
  one(
    "each",
    body(
      '  @Before\n  public void opens() {\n    throw new IllegalStateException("no session");\n  }\n\n  @Test\n  public void sells() {}\n\n  @Test\n  public void buys() {}',
    ),
    ["sells", "buys", "no session", "FaultyTest.java:10"],
  ),
];
