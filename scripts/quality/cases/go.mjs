// Cases to record with `go test`.

const passing = (name, count) =>
  Array.from(
    { length: count },
    (_, n) =>
      `func Test${name}${n}(t *testing.T) {\n\tif got := Add(${n}, 1); got != ${n + 1} {\n\t\tt.Errorf("Add = %d", got)\n\t}\n}\n`,
  ).join("\n");
const shop = {
  "go.mod": "module shop.example/shop\n\ngo 1.26\n",
  "money/money.go": "package money\n\nfunc Add(a, b int) int { return a + b }\n",
  "money/money_test.go": `package money\n\nimport "testing"\n\n${passing("Adds", 24)}`,
  "stock/stock.go": `package stock

import "fmt"

var items = map[string]int{"apple": 120, "bread": 310}

func PriceOf(name string) int {
	price, ok := items[name]
	if !ok {
		panic("no such item: " + name)
	}
	return price
}

func RateOf(now string) int {
	fmt.Printf("cache: stale since 09:41, now %s\\n", now)
	return 100
}

func Dig(depth int) int {
	if depth == 0 {
		panic("the mine is empty")
	}
	return Dig(depth-1) + 1
}
`,
  "stock/stock_test.go": `package stock

import "testing"

func TestApple(t *testing.T) {
	if PriceOf("apple") != 120 {
		t.Fatal("apple")
	}
}
`,
};
const faulty = (text, imports = '"testing"') => ({
  "stock/faulty_test.go": `package stock

import (
${imports
  .split(" ")
  .map((name) => `\t${name}`)
  .join("\n")}
)

${text}
`,
});
const one = (name, files, signals, more = {}) => ({
  runner: "go",
  name,
  files: { ...shop, ...files },
  signals,
  ...more,
});

// The lines of a test begin on line 7, with one import.
export const goCases = [
  one("pass", {}, [["25 passed", "ok"]], { passes: true }),
  one(
    "faults",
    faulty(
      `func TestTaxDeepInside(t *testing.T) {
	got := map[string]any{"id": 7, "sum": map[string]int{"net": 430, "tax": 84}}
	want := map[string]any{"id": 7, "sum": map[string]int{"net": 430, "tax": 82}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("order:\\n got %v\\nwant %v", got, want)
	}
}

func TestFreshRate(t *testing.T) {
	if rate := RateOf("10:12"); rate != 104 {
		t.Errorf("rate = %d, want %d", rate, 104)
	}
}

func TestKnowsEveryItem(t *testing.T) {
	if PriceOf("tea") != 120 {
		t.Error("tea")
	}
}`,
      '"reflect" "testing"',
    ),
    [
      "TestTaxDeepInside",
      "faulty_test.go:12",
      "tax:84",
      "tax:82",
      "TestFreshRate",
      "faulty_test.go:18",
      "rate = 100, want 104",
      "cache: stale since 09:41, now 10:12",
      "TestKnowsEveryItem",
      "no such item: tea",
      "stock/stock.go:10",
      "faulty_test.go:23",
    ],
  ),
  one("build", faulty('func TestNever(t *testing.T) {\n\tvar price int = "free"\n\tmissing(price)\n}'), [
    "stock/faulty_test.go:8",
    'cannot use "free"',
    "stock/faulty_test.go:9",
    "undefined: missing",
  ]),
  one("load", faulty("func TestNever(t *testing.T) { nowhere.Go() }", '"shop.example/shop/nowhere" "testing"'), [
    "stock/faulty_test.go",
    "shop.example/shop/nowhere",
  ]),
  one("syntax", faulty("func TestNever(t *testing.T) {\n\tif {\n}"), ["stock/faulty_test.go:8", "missing condition"]),
  one("vet", faulty('func TestPrints(t *testing.T) {\n\tt.Errorf("%d", "seven")\n}'), [
    "stock/faulty_test.go:8",
    "wrong type string",
  ]),
  one("set-up", faulty('func TestMain(m *testing.M) {\n\tlog.Fatal("database is not up")\n}', '"log" "testing"'), [
    "database is not up",
    "shop/stock",
  ]),
  one(
    "tear-down",
    faulty('func TestOpens(t *testing.T) {\n\tt.Cleanup(func() { t.Error("could not lock the door") })\n}'),
    ["TestOpens", "could not lock the door", "faulty_test.go:8"],
  ),
  one(
    "goroutine",
    faulty(
      'func TestRefunds(t *testing.T) {\n\tgo func() { panic("late refund failed") }()\n\ttime.Sleep(time.Second)\n}\n\nfunc TestAfter(t *testing.T) {}',
      '"testing" "time"',
    ),
    ["late refund failed", "faulty_test.go:9", "did not run"],
  ),
  one(
    "timeout",
    faulty("func TestWaitsForTheCourier(t *testing.T) {\n\ttime.Sleep(time.Minute)\n}", '"testing" "time"'),
    ["TestWaitsForTheCourier", "timed out after 2s"],
    { env: { GOFLAGS: "-timeout=2s" } },
  ),
  one(
    "leaves",
    faulty("func TestRunsAway(t *testing.T) {\n\tos.Exit(3)\n}", '"os" "testing"'), // Go says the exit code without -json alone, and then no test.
    ["stock", ["TestRunsAway", "exit status 3"]],
  ),
  one(
    "many",
    faulty(
      Array.from(
        { length: 12 },
        (_, n) => `func TestWrong${n}(t *testing.T) { t.Errorf("got %d, want %d", ${1000 + n}, ${2000 + n}) }`,
      ).join("\n"),
    ),
    Array.from({ length: 12 }, (_, n) => [
      `TestWrong${n}`,
      `faulty_test.go:${7 + n}`,
      `got ${1000 + n}, want ${2000 + n}`,
    ]).flat(),
  ),
  one(
    "subtests",
    faulty(`func TestPrices(t *testing.T) {
	for _, name := range []string{"apple", "bread"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			t.Logf("asked for %s", name)
			if PriceOf(name) != 120 {
				t.Fatalf("%s costs %d", name, PriceOf(name))
			}
		})
	}
}`),
    ["TestPrices/bread", "bread costs 310", "faulty_test.go:13", "asked for bread"],
  ),
  one("skips", faulty('func TestOnline(t *testing.T) {\n\tt.Skip("not sold online")\n}'), [["1 skipped", "ok"]], {
    passes: true,
  }),
  one(
    "long",
    faulty(
      'func TestListsTheStock(t *testing.T) {\n\tvar lines []string\n\tfor n := range 120 {\n\t\tlines = append(lines, "item "+string(rune(65+n%26)))\n\t}\n\tt.Errorf("stock differs at line 60:\\n%s", strings.Join(lines, "\\n"))\n}',
      '"strings" "testing"',
    ),
    ["TestListsTheStock", "faulty_test.go:13", "stock differs at line 60"],
  ),
  one("deep", faulty("func TestDigs(t *testing.T) {\n\tDig(30)\n}"), [
    "TestDigs",
    "the mine is empty",
    "stock/stock.go:22",
    "faulty_test.go:8",
  ]),
  one(
    "race",
    faulty(
      "func TestShares(t *testing.T) {\n\tsum := 0\n\tvar group sync.WaitGroup\n\tfor range 2 {\n\t\tgroup.Add(1)\n\t\tgo func() { defer group.Done(); sum++ }()\n\t}\n\tgroup.Wait()\n}",
      '"sync" "testing"',
    ),
    ["TestShares", "DATA RACE", "faulty_test.go:13"],
    { env: { GOFLAGS: "-race", CGO_ENABLED: "1" } },
  ),
  one(
    "nothing",
    { "money/money_test.go": "package money\n", "stock/stock_test.go": "package stock\n" },
    [["no test ran", "no tests to run"]],
    {
      passes: true,
    },
  ),
];
