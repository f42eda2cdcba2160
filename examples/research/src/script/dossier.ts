import type { Angle } from './topic.ts'

/** What a researcher brings home. */
export interface Findings {
  readonly points: readonly string[]
  /** For the report. Its first sentence also goes into the summary. */
  readonly paragraph: string
  /** What could not be answered. */
  readonly open: string
}

interface Dossier {
  readonly question: RegExp
  readonly answer: string
  /** By kind and focus of the part, such as `side SQLite`. */
  readonly parts: readonly (readonly [RegExp, Findings])[]
}

/** The questions that demos ask. They were written beforehand; to any other one the answer stays general. */
const DOSSIERS: readonly Dossier[] = [
  {
    question: /sqlite[^]*postgres|postgres[^]*sqlite/i,
    answer:
      'Take SQLite while one machine writes, and Postgres as soon as several do; keep both behind one small interface, so that the choice can change.',
    parts: [
      [
        /^(other-)?side sqlite/i,
        {
          paragraph:
            'SQLite is a library and not a server: the database is one file, and a query is a function call. A single process appends and reads without a network and without anything to operate. In WAL mode readers go on while one writer commits; a second writer has to wait.',
          points: [
            'There is one writer at a time. To put many appends into one transaction matters more than any setting, because every commit costs a sync to disk.',
            'WAL mode with `synchronous=NORMAL` survives a crash of the process. A power cut may lose the last commits, but does not corrupt the file.',
            'A backup is a file (`VACUUM INTO`, or the online backup API). A network file system is the one place where the database must not live.',
          ],
          open: 'How many appends a second does a busy thread really make, and does batching keep them to one sync every few milliseconds?',
        },
      ],
      [
        /^(other-)?side postgres/i,
        {
          paragraph:
            'Postgres is a server that many processes write to at once, so that all replicas of a service can share one log. It wakes readers with `LISTEN`/`NOTIFY` and replicates to a standby. It is also something to run, to upgrade and to back up.',
          points: [
            'Every append is a round trip over the network: send batches, and index by thread and position, so that a reader finds its place at once.',
            'A sequence gives out numbers before the commit. A reader that asks for "all after N" can miss a row that commits late, so rows are better numbered under a lock of their thread.',
            'Rows that are updated leave old versions behind for vacuum. A log that only grows hardly feels it; a queue beside it does.',
          ],
          open: 'How long may a failover take before a run counts as lost?',
        },
      ],
      [
        /^criteria .*(sqlite|postgres)/i,
        {
          paragraph:
            'What decides is how many machines write, and not speed. On one machine SQLite is simpler and at least as fast, since nothing crosses a network; beyond one machine Postgres is the ordinary answer. Both take thousands of appends a second when they come in batches.',
          points: [
            'One process, one disk and nobody to operate it: SQLite. Several replicas, failover, or queries by other people: Postgres.',
            'Put the log behind two operations, append and read after a position, with one suite of tests that both must pass.',
            'A log that only grows is copied in order, row by row. To change one’s mind costs an evening, not a rewrite.',
          ],
          open: 'Will a second machine write to this within the next year?',
        },
      ],
    ],
  },
  {
    question:
      /heat pumps?\b[^]*\b(cold|winter|frost|freez|snow|climate)|\b(cold|winter|frost|freez|snow)[^]*\bheat pumps?/i,
    answer:
      'Heat pumps work in cold climates: around and below freezing they still deliver two to three times the energy that they use, and only in deep cold do they need a larger size, low supply temperatures and sometimes a backup.',
    parts: [
      [
        /^foundations .*heat pump/i,
        {
          paragraph:
            'A heat pump does not make heat, it moves it: a refrigerant boils outdoors at a temperature far below that of the air, is compressed until it is hotter than the room, and gives its heat off indoors. Propane boils at −42 °C and R-32 at −52 °C, so air of −20 °C still has heat to give.',
          points: [
            'The measure is the coefficient of performance: heat delivered for each unit of electricity.',
            'It falls as the gap grows between the air outside and the water or air inside. Cold weather and hot radiators are the same problem seen from two ends.',
            'Compressors with variable speed, and vapour injection, are what made cold-climate models possible: they keep more of their output when it is cold.',
          ],
          open: 'How much of the gain of newer models comes from the compressor, and how much from better controls?',
        },
      ],
      [
        /^evidence .*(cold|climate|winter|heat pump)/i,
        {
          paragraph:
            'Measured in real houses, air-source heat pumps keep a coefficient of performance between two and three at temperatures from −10 °C to 5 °C. Field figures are lower than those of the laboratory and still well above direct electric heating, whose figure is one. Norway, Sweden and Finland, with the coldest winters of Europe, have the most heat pumps per household.',
          points: [
            'Seasonal figures say more than the one on the label: a winter has few very cold hours and many mild ones.',
            'Installations differ more than products. A bad design of the heating circuit costs more than a bad model.',
            'Households keep old heaters for the coldest days, which makes some averages look better than the machine is.',
          ],
          open: 'Which of these measurements were made over several winters in the same houses?',
        },
      ],
      [
        /^limits .*(heat pump|cold|climate)/i,
        {
          paragraph:
            'Output falls just when demand rises, so size and backup decide whether a house stays warm. Around freezing, damp air ices up the outdoor unit, and defrosting takes part of the heat back. Below about −25 °C many air-source models stop, or hand over to an electric element.',
          points: [
            'Supply temperatures of 35 to 45 °C suit a heat pump. Radiators that need 60 °C are the costliest habit to keep.',
            'Insulation first: every kilowatt that a house does not lose is one that the pump need not deliver on the coldest night.',
            'Ground-source systems avoid the cold air altogether, and cost more to install.',
          ],
          open: 'What would a region’s grid need if all houses used their backup in the same cold week?',
        },
      ],
    ],
  },
]

/** The answer in a sentence, if the question is one of those. */
export function knownAnswer(question: string): string | undefined {
  return DOSSIERS.find((dossier) => dossier.question.test(question))?.answer
}

/** What is known about a part of a question. */
export function knownFindings(angle: Angle, question: string): Findings | undefined {
  const about = `${angle.kind} ${angle.focus}`
  return DOSSIERS.find((dossier) => dossier.question.test(question))?.parts.find(([part]) =>
    part.test(about),
  )?.[1]
}
