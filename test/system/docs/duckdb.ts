/** The part of DuckDB's command that the pages use: runs the SQL of standard input on a file. */
import { text } from "node:stream/consumers";
import { DuckDBInstance } from "@duckdb/node-api";

const instance = await DuckDBInstance.create(process.argv[2]);
const connection = await instance.connect();
await connection.run(await text(process.stdin));
connection.closeSync();
instance.closeSync();
