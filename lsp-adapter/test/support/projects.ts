/** The same small program in each language: an area summed over squares, declared in one file and used in another. */
export interface Project {
  readonly files: Readonly<Record<string, string>>;
  /** File with `uses` uses of the function `name`, not including the declaration in `declaredIn`. */
  readonly usedIn: string;
  readonly declaredIn: string;
  readonly name: string;
  readonly uses: number;
  /** A part of the declaring file, and what in its place is an error. */
  readonly mistake: readonly [right: string, wrong: string];
}

export const rust: Project = {
  files: {
    "Cargo.toml": '[package]\nname = "toy"\nversion = "0.1.0"\nedition = "2021"\n',
    "src/main.rs": `mod shapes;
use shapes::{total_area, Square};

fn main() {
    let squares = vec![Square { side: 2.0 }];
    let total = total_area(&squares);
    println!("é🦀 {}", total_area(&squares) + total);
}
`,
    "src/shapes.rs": `pub struct Square {
    pub side: f64,
}

pub fn total_area(squares: &[Square]) -> f64 {
    squares.iter().map(|square| square.side * square.side).sum()
}
`,
  },
  usedIn: "src/main.rs",
  declaredIn: "src/shapes.rs",
  name: "total_area",
  uses: 3,
  mistake: ["squares.iter().map(|square| square.side * square.side).sum()", '"text"'],
};

export const typescript: Project = {
  files: {
    "package.json": '{ "name": "toy", "type": "module" }\n',
    "tsconfig.json":
      '{ "compilerOptions": { "strict": true, "module": "nodenext", "target": "es2022", "types": [] } }\n',
    "main.ts": `import { totalArea } from "./shapes.js";

const squares = [{ side: 2 }];
const total = totalArea(squares);
export const text = "é🦀" + String(totalArea(squares) + total);
`,
    "shapes.ts": `export interface Square {
  side: number;
}

export function totalArea(squares: Square[]): number {
  return squares.reduce((sum, square) => sum + square.side * square.side, 0);
}
`,
  },
  usedIn: "main.ts",
  declaredIn: "shapes.ts",
  name: "totalArea",
  uses: 3,
  mistake: ["square.side *", "square.missing *"],
};

export const python: Project = {
  files: {
    "pyproject.toml": '[project]\nname = "toy"\nversion = "0.1.0"\n',
    "main.py": `from shapes import Square, total_area

squares = [Square(2.0)]
total = total_area(squares)
print("é🦀", total_area(squares) + total)
`,
    "shapes.py": `class Square:
    def __init__(self, side: float) -> None:
        self.side = side


def total_area(squares: list[Square]) -> float:
    return sum(square.side * square.side for square in squares)
`,
  },
  usedIn: "main.py",
  declaredIn: "shapes.py",
  name: "total_area",
  uses: 3,
  mistake: ["square.side *", "square.missing *"],
};

export const go: Project = {
  files: {
    "go.mod": "module example.com/toy\n\ngo 1.21\n",
    "main.go": `package main

func main() {
	squares := []Square{{side: 2}}
	total := totalArea(squares)
	print("é🦀", totalArea(squares)+total)
}
`,
    "shapes.go": `package main

type Square struct {
	side float64
}

func totalArea(squares []Square) float64 {
	sum := 0.0
	for _, square := range squares {
		sum += square.side * square.side
	}
	return sum
}
`,
  },
  usedIn: "main.go",
  declaredIn: "shapes.go",
  name: "totalArea",
  uses: 2,
  mistake: ["square.side *", "square.missing *"],
};

export const cpp: Project = {
  files: {
    "compile_flags.txt": "-xc++\n-std=c++17\n",
    "shapes.h": `#pragma once

struct Square {
  double side;
};

inline double totalArea(const Square *squares, int count) {
  double sum = 0;
  for (int i = 0; i < count; i++) sum += squares[i].side * squares[i].side;
  return sum;
}
`,
    "main.cpp": `#include "shapes.h"

int main() {
  Square squares[] = {{2.0}};
  double total = totalArea(squares, 1);
  const char *text = "é🦀"; return (text[0] == 'x') + totalArea(squares, 1) > total;
}
`,
  },
  usedIn: "main.cpp",
  declaredIn: "shapes.h",
  name: "totalArea",
  uses: 2,
  mistake: ["squares[i].side *", "squares[i].missing *"],
};
