#!/usr/bin/python3
"""A mail server that keeps what it gets, for the story and its tests. Uses Debian's python3-aiosmtpd.

    smtp_sink.py FILE

Binds a free port of the loopback interface and prints it. Connections are refused until a line comes
in on standard input; when that is closed, the server ends. Each mail it accepts is a line of JSON in
FILE. Recipients whose names begin with "gone" are refused for good, those whose names begin with
"later" the first time.
"""

import asyncio
import email
import json
import socket
import sys

from aiosmtpd.smtp import SMTP


class Keeper:
    def __init__(self, path):
        self.file = open(path, "a", encoding="utf-8")
        self.met = set()

    async def handle_RCPT(self, server, session, envelope, address, rcpt_options):
        if address.startswith("gone"):
            return "550 5.1.1 there is no such mailbox"
        if address.startswith("later") and address not in self.met:
            self.met.add(address)
            return "450 4.2.0 come again later"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        message = email.message_from_bytes(envelope.content)
        subject = email.header.decode_header(message["Subject"])
        words = [word.decode(code or "ascii") if isinstance(word, bytes) else word
                 for word, code in subject]
        self.file.write(json.dumps({
            "to": envelope.rcpt_tos,
            "from": envelope.mail_from,
            "id": message["Message-ID"],
            "subject": "".join(words),
            "text": message.get_payload(decode=True).decode("utf-8"),
        }) + "\n")
        self.file.flush()
        return "250 OK"


async def serve(sock, path):
    keeper = Keeper(path)
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: SMTP(keeper, hostname="sink.example"), sock=sock)
    async with server:
        await loop.run_in_executor(None, sys.stdin.read)  # until it is closed


def main():
    sock = socket.socket()
    sock.bind(("127.0.0.1", 0))  # bound and not listening: nobody else gets the port, or an answer
    print(sock.getsockname()[1], flush=True)
    if sys.stdin.readline():
        asyncio.run(serve(sock, sys.argv[1]))


main()
