// More of what `go test` is recorded with, written after the reports.
import { goCases } from "./go.mjs";

const [{ files: shop }] = goCases;
const one = (name, files, signals, more = {}) => ({
  ...{ runner: "go", name, signals, heldOut: true, files: { ...shop, ...files } },
  ...more,
});
const file = (folder, text) => ({ [`${folder}/faulty_test.go`]: `package ${folder}\n\n${text}\n` });

export const moreGoCases = [
  one(
    "example",
    file(
      "stock",
      'import "fmt"\n\nfunc ExamplePriceOf() {\n\tfmt.Println(PriceOf("apple"))\n\tfmt.Println("sold out")\n\t// Output:\n\t// 120\n\t// in store\n}',
    ),
    ["ExamplePriceOf", "sold out", "in store"],
  ),
  one(
    "two-packages",
    {
      ...file("money", 'import "testing"\n\nfunc TestShut(t *testing.T) {\n\tt.Fatal("the bank is shut")\n}'),
      ...file("stock", 'import "testing"\n\nfunc TestShut(t *testing.T) {\n\n\tt.Fatal("the store is shut")\n}'),
    },
    ["money/faulty_test.go:6", "the bank is shut", "stock/faulty_test.go:7", "the store is shut"],
  ),
  one(
    "fuzz-seed",
    file(
      "money",
      'import "testing"\n\nfunc FuzzAdds(f *testing.F) {\n\tf.Add(3, 4)\n\tf.Fuzz(func(t *testing.T, a, b int) {\n\t\tif Add(a, b) != 8 {\n\t\t\tt.Errorf("%d and %d are not 8", a, b)\n\t\t}\n\t})\n}',
    ),
    ["FuzzAdds/seed#0", "3 and 4 are not 8", "money/faulty_test.go:9"],
  ),
  one(
    "wrapped",
    file(
      "stock",
      'import (\n\t"errors"\n\t"fmt"\n\t"testing"\n)\n\nfunc is(t *testing.T, err error) {\n\tt.Helper()\n\tif err != nil {\n\t\tt.Errorf("unexpected error: %v", err)\n\t}\n}\n\nfunc TestLoads(t *testing.T) {\n\tt.Log("loading from /srv/prices")\n\tis(t, fmt.Errorf("could not load prices: %w", errors.New("disk is full")))\n}',
    ),
    ["TestLoads", "could not load prices: disk is full", "faulty_test.go:18", "loading from /srv/prices"],
  ),
];
