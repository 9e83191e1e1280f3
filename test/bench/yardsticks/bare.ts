/** Yardstick of cold starts: Express that listens and accepts a project, and nothing else. `node bare.ts <port>` */
import express from 'express';

const app = express();
app.post('/api/v1/projects', express.json(), (request, response) => void response.status(201).json(request.body));
app.listen(Number(process.argv[2]), '127.0.0.1');
