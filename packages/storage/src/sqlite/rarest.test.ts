import Database from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Connection } from "./client.ts";
import { rarestTrigrams } from "./rarest.ts";

let client: Database.Database;
let counted: string[];
let connection: Connection;
const add = (texts: readonly string[]) => {
  const insert = client.prepare("INSERT INTO t (text) VALUES (?)");
  for (const text of texts) insert.run(text);
};
beforeEach(() => {
  client = new Database(":memory:");
  client.exec(
    "CREATE VIRTUAL TABLE t USING fts5 (text, detail = none, tokenize = 'trigram case_sensitive 1')",
  );
  counted = [];
  connection = new Connection({
    prepare(sql) {
      const statement = client.prepare(sql);
      const get = (...values: unknown[]) => {
        counted.push(String(values[0]));
        return statement.get(...values);
      };
      return { run: statement.run.bind(statement), all: statement.all.bind(statement), get };
    },
    exec: (sql) => client.exec(sql),
    close: () => client.close(),
  });
});
afterEach(() => connection.close());

/** As FTS5 is asked for it. */
const asked = (trigram: string) => `"${trigram}"`;

const rarest = (trigrams: readonly string[], of: number, most = 2) =>
  rarestTrigrams(connection, trigrams.map(asked), { table: "t", most, of });

describe("the rarest trigrams", () => {
  it("are those that the fewest texts have", () => {
    add(["maria", "maria", "mario", "ariel", "viz"]);
    expect(rarest(["mar", "ari", "ria", "rio"], 5)).toEqual(['"rio"', '"ria"']);
    expect(rarest(["mar", "xyz", "viz"], 5)).toEqual(['"xyz"', '"viz"']);
  });

  it("stand apart: what overlaps a rare one tells no more", () => {
    add([
      ...Array(9).fill("lora"),
      ...Array(11).fill("anb"),
      ...Array(13).fill("bko"),
      ...Array(14).fill("xyz"),
    ]);
    expect(rarest(["lor", "ora", "anb"], 50)).toEqual(['"lor"', '"anb"']);
    // One shared character counts less than two.
    expect(rarest(["lor", "ora", "bko"], 50)).toEqual(['"lor"', '"bko"']);
    expect(rarest(["ora", "anb", "xyz"], 50)).toEqual(['"ora"', '"xyz"']);
  });

  it("are all of few, and nothing is counted", () => {
    expect(rarest(["mar", "ari"], 5)).toEqual(['"mar"', '"ari"']);
    expect(counted).toEqual([]);
  });

  it("are counted once, and again when there are twice as many texts", () => {
    add(["ana", "anb", "anb", "anc"]);
    const three = ["ana", "anb", "anc"];
    expect(rarest(three, 4, 1)).toEqual(['"ana"']);
    add(["ana", "ana", "ana"]);
    expect(rarest(three, 8, 1)).toEqual(['"ana"']);
    expect(counted).toHaveLength(3);
    expect(rarest(three, 9, 1)).toEqual(['"anc"']);
    expect(counted).toHaveLength(6);
  });
});
