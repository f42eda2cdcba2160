import type { Command } from '../commands/command.ts'
import { chooseFile } from '../replay/choose-file.ts'
import { goTo } from '../routes/use-route.ts'
import type { Directory } from '../threads/directory.ts'
import { threadTitle } from '../threads/thread-title.ts'
import { settings } from '../settings.ts'

/** What every page offers: the other pages, threads and agents, and how it looks. */
export function appCommands(directory: Directory, onOpen: (file: File) => void): readonly Command[] {
  const { agents, threads } = directory.getState()
  return [
    { id: 'new', title: 'New thread', group: 'Go to', key: 'n', run: () => goTo({ to: 'home' }) },
    { id: 'search', title: 'Search threads', group: 'Go to', key: '/', run: focusSearch },
    { id: 'background', title: 'Schedules', group: 'Go to', run: () => goTo({ to: 'background' }) },
    { id: 'compare', title: 'Compare runs', group: 'Go to', run: () => goTo({ to: 'compare' }) },
    { id: 'open', title: 'Open a recording', group: 'Go to', run: () => chooseFile(onOpen) },
    ...(['light', 'dark', 'system'] as const).map((theme): Command => ({
      id: `theme ${theme}`,
      title: theme === 'system' ? 'Theme of the system' : `Theme: ${theme}`,
      group: 'Appearance',
      run: () => settings.setState({ theme }),
    })),
    ...agents.map(({ name }): Command => ({
      id: `agent ${name}`,
      title: `New thread with ${name}`,
      group: 'New thread',
      run: () => goTo({ to: 'home', agent: name }),
    })),
    ...threads.map((thread): Command => ({
      id: `thread ${thread.thread_id}`,
      title: threadTitle(thread),
      group: 'Threads',
      run: () => goTo({ to: 'thread', thread: thread.thread_id }),
    })),
  ]
}

function focusSearch(): void {
  document.querySelector<HTMLInputElement>('.cw-side-find input')?.focus()
}
