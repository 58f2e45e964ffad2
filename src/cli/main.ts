#!/usr/bin/env node
import { main } from './program.ts';

await main();
