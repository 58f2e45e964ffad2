// The paths over the models of the machines, in a thread of their own: meanwhile the campaign hears of its lanes, and of Ctrl-C.
import { pathToFileURL } from 'node:url';
import { parentPort, workerData } from 'node:worker_threads';

const { walkModels } = await import(pathToFileURL(workerData).href);
parentPort.postMessage(walkModels());
