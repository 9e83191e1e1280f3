/** Yardstick of reads: plain Express returning one JSON value. `node constant.ts <port> <json>` */
import express from 'express';

const [, , port, json] = process.argv;
const value: unknown = JSON.parse(json!);
const app = express();
app.get('/api/v1/tasks/:id', (_request, response) => void response.json(value));
app.listen(Number(port), '127.0.0.1');
