import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { withPlantedSource } from '../support/planted-source.ts';
import { repository } from '../support/server-process.ts';
import { scheduleFor } from './casts.ts';
import { type Found, Hunter, huntedSteps } from './hunt.ts';
import { type PlantedFault, plantedFaults } from './planted-faults.ts';
import { simulate } from './simulation.ts';

export interface PlantedResult extends Found {
  readonly fault: PlantedFault;
  /** Seeds that failed without the fault, too. */
  readonly unrelated: readonly number[];
}

/**
 * Plants a fault in the sources of a process, not in the working tree, and simulates seeds there until one fails that
 * does not fail without the fault.
 */
export function findPlanted(fault: PlantedFault, from: number, cpuMsMax: number): Promise<PlantedResult> {
  return withPlantedSource({ file: fault.file, text: planted(fault) }, async (options) => {
    const hunter = new Hunter(options);
    try {
      return await find(hunter, fault, from, cpuMsMax);
    } finally {
      hunter.close();
    }
  });
}

async function find(hunter: Hunter, fault: PlantedFault, from: number, cpuMsMax: number): Promise<PlantedResult> {
  const { without } = fault;
  const unrelated: number[] = [];
  let operations = 0;
  let cpuMs = 0;
  for (let next = from; ;) {
    const limits = { cpuMsMax: cpuMsMax - cpuMs, msMax: Infinity };
    const found = await hunter.hunt({ from: next, without, ...limits });
    operations += found.operations;
    cpuMs += found.cpuMs;
    const isFound = found.failure !== undefined && !(await failsWithout(found.seed, without));
    if (isFound || cpuMs >= cpuMsMax)
      return { ...found, failure: isFound ? found.failure : undefined, fault, operations, cpuMs, unrelated };
    unrelated.push(found.seed);
    next = found.seed + 1;
  }
}

/** This process has the sources as they are. */
async function failsWithout(seed: number, without: readonly string[]): Promise<boolean> {
  const { failures } = await simulate(scheduleFor(seed, huntedSteps, without));
  return failures.length > 0;
}

/** The text of the fault's file. Throws unless the replacement matches the sources once. */
export function planted({ name, file, from, to }: PlantedFault): string {
  const parts = readFileSync(join(repository, file), 'utf8').split(from);
  if (parts.length !== 2) throw new Error(`${name}: the replaced text is ${parts.length - 1} times in ${file}.`);
  return parts.join(to);
}

/**
 * Finds the faults whose names contain a text, and prints a line for each. Returns the names of the faults that were
 * not found.
 */
export async function findAllPlanted(only: string, from: number, cpuMsMax: number): Promise<string[]> {
  const missed: string[] = [];
  console.log(
    '| fault | operations until found | processor time | seed | failure |\n| --- | ---: | ---: | ---: | --- |',
  );
  for (const fault of plantedFaults.filter(({ name }) => name.includes(only))) {
    const { failure, operations, cpuMs, seed, unrelated } = await findPlanted(fault, from, cpuMsMax);
    if (failure === undefined) missed.push(fault.name);
    const without = fault.without.map((name) => ` --without "${name}"`).join('');
    const first = failure?.split('\n')[0]!.replaceAll('|', '\\|') ?? '**not found**';
    const more = unrelated.length === 0 ? '' : ` (${unrelated.length} seeds fail without it, too)`;
    console.log(
      `| ${fault.name} | ${operations} | ${(cpuMs / 1000).toFixed(1)} s | ${seed}${without} | ${first}${more} |`,
    );
  }
  return missed;
}
