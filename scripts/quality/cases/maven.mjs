// Cases for Maven with surefire and JUnit 5.

const plugin = (artifact, version, more = "") =>
  `<plugin><artifactId>${artifact}</artifactId><version>${version}</version>${more}</plugin>`;
const plugins = [
  plugin("maven-compiler-plugin", "3.13.0"),
  plugin("maven-surefire-plugin", "3.5.2"),
  plugin("maven-resources-plugin", "3.3.1"),
].join("\n      ");
const junit = `<dependency>
      <groupId>org.junit.jupiter</groupId>
      <artifactId>junit-jupiter</artifactId>
      <version>5.11.4</version>
      <scope>test</scope>
    </dependency>`;
const pom = ({ artifact = "shop", dependencies = junit, more = "" } = {}) => `<project>
  <modelVersion>4.0.0</modelVersion>
  <groupId>com.acme</groupId>
  <artifactId>${artifact}</artifactId>
  <version>1.0</version>
  <properties>
    <maven.compiler.release>17</maven.compiler.release>
    <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
  </properties>
  <dependencies>
    ${dependencies}
  </dependencies>
  <build>
    <plugins>
      ${plugins}
    </plugins>
  </build>${more}
</project>
`;
const main = (name) => `src/main/java/shop/${name}.java`;
const test = (name) => `src/test/java/shop/${name}.java`;
const passing = (name, count) => `package shop;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class ${name} {
${Array.from({ length: count }, (_, n) => `  @Test\n  void adds${n}() {\n    assertEquals(${n + 1}, Money.add(${n}, 1));\n  }\n`).join("\n")}}
`;
const shop = {
  "pom.xml": pom(),
  [main("Money")]:
    "package shop;\n\npublic class Money {\n  public static int add(int a, int b) {\n    return a + b;\n  }\n}\n",
  [main("Stock")]: `package shop;

import java.util.Map;

public class Stock {
  private static final Map<String, Integer> ITEMS = Map.of("apple", 120, "bread", 310);

  static int priceOf(String name) {
    Integer price = ITEMS.get(name);
    if (price == null) {
      throw new IllegalArgumentException("no such item: " + name);
    }
    return price;
  }

  static int rateOf(String now) {
    System.out.println("cache: stale since 09:41, now " + now);
    System.err.println("cache: refused by the bank");
    return 100;
  }

  static int dig(int depth) {
    if (depth == 0) {
      throw new IllegalStateException("the mine is empty");
    }
    return dig(depth - 1) + 1;
  }

  static void open(String name) {
    try {
      priceOf(name);
    } catch (IllegalArgumentException cause) {
      throw new IllegalStateException("the shop stays shut", cause);
    }
  }
}
`,
  [test("MoneyTest")]: passing("MoneyTest", 24),
};
const imports = `package shop;

import static org.junit.jupiter.api.Assertions.*;

import java.util.*;
import org.junit.jupiter.api.*;

`;
/** The text of a class begins on line 8. */
const faulty = (text, name = "FaultyTest") => ({ [test(name)]: `${imports}${text}\n` });
const one = (name, files, signals, more = {}) => ({
  runner: "maven",
  name,
  files: { ...shop, ...files },
  signals,
  timeoutMs: 120_000,
  ...more,
});

export const mavenCases = [
  one("pass", {}, [["24 passed", "Tests run: 24"]], { passes: true }),
  one(
    "faults",
    faulty(`class FaultyTest {
  @Test
  void taxDeepInside() {
    Map<String, Object> got = Map.of("id", 7, "sum", new TreeMap<>(Map.of("net", 430, "tax", 84)));
    assertEquals(Map.of("id", 7, "sum", new TreeMap<>(Map.of("net", 430, "tax", 82))).toString().length(), got.size(), "order 7, tax 82, got " + ((Map<?, ?>) got.get("sum")).get("tax"));
  }

  @Test
  void freshRate() {
    assertEquals(104, Stock.rateOf("10:12"));
  }

  @Test
  void knowsEveryItem() {
    assertEquals(120, Stock.priceOf("tea"));
  }
}`),
    [
      "taxDeepInside",
      "FaultyTest.java:12",
      "order 7, tax 82, got 84",
      "freshRate",
      "FaultyTest.java:17",
      ["expected: <104> but was: <100>"],
      "cache: stale since 09:41, now 10:12",
      "cache: refused by the bank",
      "knowsEveryItem",
      "IllegalArgumentException",
      "no such item: tea",
      "Stock.java:11",
      "FaultyTest.java:22",
      ["3 failed", "Failures: 2, Errors: 1"],
    ],
  ),
  one(
    "build",
    {
      [main("Cart")]:
        'package shop;\n\nclass Cart {\n  int price = "free";\n\n  void pay() {\n    missing(price);\n  }\n}\n',
    },
    [
      "Cart.java",
      ["Cart.java:4", "Cart.java:[4,15]"],
      "String cannot be converted to int",
      ["Cart.java:7", "Cart.java:[7,5]"],
      "cannot find symbol",
      "method missing(int)",
    ],
  ),
  one("load", faulty("class FaultyTest {\n  @Test\n  void never() {\n    new Nowhere().go();\n  }\n}"), [
    ["FaultyTest.java:11", "FaultyTest.java:[11"],
    "class Nowhere",
  ]),
  one("syntax", faulty("class FaultyTest {\n  @Test\n  void never() {\n    if (\n  }\n}"), [
    ["FaultyTest.java:12", "FaultyTest.java:[12"],
    "illegal start of expression",
  ]),
  one(
    "set-up",
    faulty(
      'class FaultyTest {\n  @BeforeAll\n  static void opens() {\n    throw new IllegalStateException("database is not up");\n  }\n\n  @Test\n  void never() {}\n}',
    ),
    ["FaultyTest", "database is not up", "FaultyTest.java:11", ["24 passed", "Tests run: 25"]],
  ),
  one(
    "set-up-each",
    faulty(
      'class FaultyTest {\n  @BeforeEach\n  void opens() {\n    throw new IllegalStateException("database is not up");\n  }\n\n  @Test\n  void never() {}\n}',
    ),
    ["FaultyTest", "never", "database is not up", "FaultyTest.java:11"],
  ),
  one(
    "tear-down",
    faulty(
      'class FaultyTest {\n  @AfterAll\n  static void shuts() {\n    throw new IllegalStateException("could not lock the door");\n  }\n\n  @Test\n  void opens() {}\n}',
    ),
    ["FaultyTest", "could not lock the door", "FaultyTest.java:11"],
  ),
  one("cause", faulty('class FaultyTest {\n  @Test\n  void opens() {\n    Stock.open("tea");\n  }\n}'), [
    "opens",
    "the shop stays shut",
    "no such item: tea",
    "Stock.java:11",
    "Stock.java:31",
    "FaultyTest.java:11",
  ]),
  one(
    "timeout",
    faulty(
      "class FaultyTest {\n  @Test\n  @Timeout(1)\n  void waitsForTheCourier() throws Exception {\n    Thread.sleep(60_000);\n  }\n}",
    ),
    ["waitsForTheCourier", "timed out after 1 second", "FaultyTest.java"],
  ),
  one(
    "hangs",
    faulty("class FaultyTest {\n  @Test\n  void waitsForever() throws Exception {\n    Thread.sleep(600_000);\n  }\n}"),
    ["FaultyTest", ["ended after 30 s", ""]],
    { timeoutMs: 30_000 },
  ),
  one("leaves", faulty("class FaultyTest {\n  @Test\n  void leavesEarly() {\n    System.exit(3);\n  }\n}"), [
    "FaultyTest",
    [
      "The forked VM terminated without properly saying goodbye",
      "The forked VM terminated without saying properly goodbye",
    ],
  ]),
  one(
    "many",
    faulty(
      `class FaultyTest {\n${Array.from({ length: 12 }, (_, n) => `  @Test\n  void fault${n}() {\n    assertEquals(${n}, ${n + 100});\n  }\n`).join("\n")}}`,
    ),
    Array.from({ length: 12 }, (_, n) => [
      `fault${n}`,
      `FaultyTest.java:${11 + n * 5}`,
      `expected: <${n}> but was: <${n + 100}>`,
    ]).flat(),
  ),
  one(
    "skips",
    faulty(
      'class FaultyTest {\n  @Test\n  @Disabled("until the bank answers")\n  void later() {}\n\n  @Test\n  void skipsItself() {\n    Assumptions.assumeTrue(false, "no bank here");\n  }\n}',
    ),
    [["2 skipped", "Skipped: 2"]],
    { passes: true },
  ),
  one(
    "long",
    faulty(
      `class FaultyTest {\n  @Test\n  void prints() {\n    StringBuilder text = new StringBuilder();\n    for (int n = 0; n < 200; n++) text.append("line ").append(n).append("\\n");\n    assertEquals(text.toString().replace("line 100", "line one hundred"), text.toString());\n  }\n}`,
    ),
    ["prints", "FaultyTest.java:13", "line one hundred"],
  ),
  one("deep", faulty("class FaultyTest {\n  @Test\n  void digs() {\n    assertEquals(60, Stock.dig(60));\n  }\n}"), [
    "digs",
    "the mine is empty",
    "Stock.java:24",
    ["FaultyTest.java:11", "FaultyTest.digs:11"],
  ]),
  one(
    "nested",
    faulty(
      "class FaultyTest {\n  @Nested\n  class WhenEmpty {\n    @Test\n    void isFree() {\n      assertEquals(0, Money.add(1, 1));\n    }\n  }\n}",
    ),
    ["WhenEmpty", "isFree", "FaultyTest.java:13", "expected: <0> but was: <2>"],
  ),
  one(
    "parameters",
    {
      [test("FaultyTest")]: `package shop;

import static org.junit.jupiter.api.Assertions.*;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FaultyTest {
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void isOdd(int number) {
    assertTrue(number % 2 == 1, () -> number + " is even");
  }
}
`,
    },
    ["isOdd", "2 is even", "FaultyTest.java:12"],
  ),
  one("nothing", { [test("MoneyTest")]: "package shop;\n\nclass MoneyTest {}\n" }, [["no test ran", "No tests"]], {
    passes: true,
  }),
  one(
    "dependency",
    {
      "pom.xml": pom({
        dependencies: `${junit}\n    <dependency><groupId>com.acme</groupId><artifactId>nowhere</artifactId><version>9.9</version></dependency>`,
      }),
    },
    ["com.acme:nowhere:jar:9.9", ["Could not find artifact", "was not found", "Could not transfer"]],
  ),
  one("pom", { "pom.xml": pom().replace("</dependencies>", "") }, [
    ["pom.xml"],
    ["Non-parseable POM", "Malformed POM"],
  ]),
  {
    runner: "maven",
    name: "modules",
    files: {
      "pom.xml":
        "<project><modelVersion>4.0.0</modelVersion><groupId>com.acme</groupId><artifactId>all</artifactId><version>1.0</version><packaging>pom</packaging><modules><module>shop</module><module>web</module></modules></project>\n",
      ...Object.fromEntries(Object.entries(shop).map(([path, text]) => [`shop/${path}`, text])),
      [`shop/${test("FaultyTest")}`]: `${imports}class FaultyTest {\n  @Test\n  void isFree() {\n    assertEquals(0, Money.add(1, 1));\n  }\n}\n`,
      "web/pom.xml": pom({ artifact: "web" }),
      "web/src/test/java/web/PageTest.java":
        'package web;\n\nimport static org.junit.jupiter.api.Assertions.*;\n\nimport org.junit.jupiter.api.*;\n\nclass PageTest {\n  @Test\n  void hasTitle() {\n    assertEquals("Shop", "Shut");\n  }\n}\n',
    },
    signals: [
      "isFree",
      "FaultyTest.java:11",
      "expected: <0> but was: <2>",
      "hasTitle",
      "PageTest.java:10",
      "expected: <Shop> but was: <Shut>",
    ],
    timeoutMs: 120_000,
  },
];
