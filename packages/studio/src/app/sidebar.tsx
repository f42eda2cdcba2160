import { CalendarClock, Columns2, Command, FolderOpen, Monitor, Moon, Plus, Sun, X } from 'lucide-react'
import type { ReactNode } from 'react'
import { useStore } from 'zustand'
import { COMMANDS_KEY } from '../commands/key-text.ts'
import { IconButton } from '../design/icon-button.tsx'
import { chooseFile } from '../replay/choose-file.ts'
import { formatRoute, type Route } from '../routes/route.ts'
import type { Directory } from '../threads/directory.ts'
import { ThreadList } from '../threads/thread-list.tsx'
import { settings, type Settings } from '../settings.ts'

const THEMES = { system: Monitor, light: Sun, dark: Moon } as const
const NEXT = { system: 'light', light: 'dark', dark: 'system' } as const satisfies Record<
  Settings['theme'],
  Settings['theme']
>

export function Sidebar(props: {
  readonly directory: Directory
  readonly route: Route
  readonly onCommands: () => void
  readonly onOpen: (file: File) => void
  readonly onClose: () => void
}): ReactNode {
  const { directory, route } = props
  const theme = useStore(settings, (state) => state.theme)
  const info = useStore(directory, (state) => state.info)
  const ThemeIcon = THEMES[theme]
  return (
    <nav
      className="cw-side"
      aria-label="Threads and tools"
      onKeyDown={(event) => {
        if (event.key === 'Escape') props.onClose()
      }}
    >
      <header>
        <a className="cw-brand cw-focusable" href="#/">
          <Mark />
          Clewline
        </a>
        <span className="cw-grow" />
        <IconButton label={`Commands (${COMMANDS_KEY})`} onClick={props.onCommands}>
          <Command size={14} />
        </IconButton>
        <IconButton
          label={`Theme: ${theme}. Change`}
          onClick={() => settings.setState({ theme: NEXT[theme] })}
        >
          <ThemeIcon size={15} />
        </IconButton>
        <IconButton label="Close the menu" className="cw-phone" onClick={props.onClose}>
          <X size={16} />
        </IconButton>
      </header>
      <a className="cw-new cw-focusable" href="#/" aria-current={route.to === 'home' ? 'page' : undefined}>
        <Plus size={15} aria-hidden />
        New thread
      </a>
      <ThreadList directory={directory} open={route.to === 'thread' ? route.thread : null} />
      <footer>
        <Link to={{ to: 'background' }} route={route}>
          <CalendarClock size={14} aria-hidden /> Schedules
        </Link>
        <Link to={{ to: 'compare' }} route={route}>
          <Columns2 size={14} aria-hidden /> Compare runs
        </Link>
        <button type="button" className="cw-side-link cw-focusable" onClick={() => chooseFile(props.onOpen)}>
          <FolderOpen size={14} aria-hidden /> Open a recording
        </button>
        {info !== null && (
          <p className="cw-hint" title={`${info.name} ${info.version}`}>
            {info.scripted ? 'Scripted offline model' : (info.model ?? info.name)}
          </p>
        )}
      </footer>
    </nav>
  )
}

function Link(props: { readonly to: Route; readonly route: Route; readonly children: ReactNode }): ReactNode {
  return (
    <a
      className="cw-side-link cw-focusable"
      href={formatRoute(props.to)}
      aria-current={props.route.to === props.to.to ? 'page' : undefined}
    >
      {props.children}
    </a>
  )
}

export function Mark(): ReactNode {
  return (
    <svg
      width="18"
      height="18"
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.9"
      strokeLinecap="round"
      aria-hidden
    >
      <circle cx="10" cy="9.5" r="7" />
      <path d="M4.2 6c3.9.3 8.3 3.6 10.1 8.8M8 2.8c4.1 1 7.6 4.4 8.7 7.8M3.2 11.2c2.4.5 4.7 2.2 5.9 5.2M6 15.3c-2.5 4.2 1.5 5.7 5 5.7h11" />
    </svg>
  )
}
