// A small library as an MCP server over stdio. It knows nothing of agents.
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { z } from 'zod'

const books = new Map([
  ['moby-dick', { title: 'Moby-Dick', author: 'Herman Melville', onLoan: false }],
  ['emma', { title: 'Emma', author: 'Jane Austen', onLoan: true }],
  ['walden', { title: 'Walden', author: 'Henry David Thoreau', onLoan: false }],
])

const server = new McpServer({ name: 'library', version: '1.0.0' })
const text = (value) => ({ content: [{ type: 'text', text: value }] })

server.registerTool(
  'search_books',
  { description: 'Find books by title or author.', inputSchema: { query: z.string() } },
  async ({ query }) => {
    const wanted = query.toLowerCase()
    const found = [...books].filter(([, { title, author }]) =>
      `${title} ${author}`.toLowerCase().includes(wanted),
    )
    if (found.length === 0) return text(`No book matches "${query}".`)
    return text(
      found
        .map(([id, { title, author, onLoan }]) => `${id}: ${title} by ${author}${onLoan ? ' (on loan)' : ''}`)
        .join('\n'),
    )
  },
)

server.registerTool(
  'borrow_book',
  { description: 'Borrow a book by its id.', inputSchema: { id: z.string() } },
  async ({ id }) => {
    const book = books.get(id)
    if (book === undefined) throw new Error(`There is no book "${id}".`)
    if (book.onLoan) throw new Error(`${book.title} is on loan.`)
    book.onLoan = true
    return text(`${book.title} is yours for four weeks.`)
  },
)

await server.connect(new StdioServerTransport())
