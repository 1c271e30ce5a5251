package io.incudal.agent.lab;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * A logged-in session with one connection and one command at a time.
 *
 * <p>A thread of its own reads, so that the target's pings are answered while the test does
 * something else, and its end is seen at once. Used by one test thread.
 */
public final class IscsiSession implements AutoCloseable {
  private static final int TIMEOUT_SECONDS = 30;

  /** A write goes out with its command, in the least segment that every target takes. */
  private static final int WRITE_CHUNK = 8192;

  private static final int READ_CHUNK = 65536;

  /** What a target says without waiting for an answer. */
  private static final Set<String> DECLARED =
      Set.of("TargetPortalGroupTag", "TargetAlias", "TargetAddress", "MaxRecvDataSegmentLength");

  private final Socket socket;
  private final DataInputStream in;
  private final BlockingQueue<IscsiPdu> answers = new ArrayBlockingQueue<>(64);
  private final CompletableFuture<Void> ended = new CompletableFuture<>();
  private int tag = 1;
  private int commandNumber = 1;
  private volatile int statusNumber = 1;

  private IscsiSession(Socket socket) throws IOException {
    this.socket = socket;
    this.in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
  }

  static IscsiSession open(InetSocketAddress portal, Map<String, String> keys) throws IOException {
    Socket socket = new Socket();
    try {
      socket.setTcpNoDelay(true);
      socket.setSoTimeout(TIMEOUT_SECONDS * 1000);
      socket.connect(portal, TIMEOUT_SECONDS * 1000);
      IscsiSession session = new IscsiSession(socket);
      session.login(keys);
      socket.setSoTimeout(0);
      session.startReader();
      return session;
    } catch (IOException e) {
      socket.close();
      throw e;
    }
  }

  /** Completes when the connection is gone, whoever ended it. */
  public CompletableFuture<Void> ended() {
    return ended;
  }

  /** SCSI peripheral device type: 0 disk, 5 CD-ROM, 12 controller. */
  public int deviceType(int lun) throws IOException {
    return command(lun, Cdb.inquiry(), 96).get(0) & 0x1f;
  }

  /** Size of the LUN's blocks. */
  public int blockSize(int lun) throws IOException {
    return command(lun, Cdb.readCapacity10(), 8).getInt(4);
  }

  /** Size of the LUN in bytes. */
  public long capacity(int lun) throws IOException {
    ByteBuffer answer = command(lun, Cdb.readCapacity10(), 8);
    if (answer.getInt(0) != -1) {
      return (Integer.toUnsignedLong(answer.getInt(0)) + 1) * answer.getInt(4);
    }
    ByteBuffer large = command(lun, Cdb.readCapacity16(), 32);
    return (large.getLong(0) + 1) * large.getInt(8);
  }

  /** Offset and length are multiples of the block size. */
  public byte[] read(int lun, long offset, int length) throws IOException {
    int block = blockSize(lun);
    ByteBuffer all = ByteBuffer.allocate(length);
    while (all.hasRemaining()) {
      int chunk = Math.min(all.remaining(), READ_CHUNK);
      long at = (offset + all.position()) / block;
      all.put(command(lun, Cdb.read10(at, chunk / block), chunk));
    }
    return all.array();
  }

  /** Offset and length are multiples of the block size. */
  public void write(int lun, long offset, byte[] data) throws IOException {
    int block = blockSize(lun);
    for (int done = 0; done < data.length; done += WRITE_CHUNK) {
      int chunk = Math.min(data.length - done, WRITE_CHUNK);
      byte[] part = Arrays.copyOfRange(data, done, done + chunk);
      exchange(lun, Cdb.write10((offset + done) / block, chunk / block), part, 0);
    }
  }

  /** One text exchange; the answer's pairs. */
  List<String> text(String pair) throws IOException {
    byte[] data = (pair + "\0").getBytes(StandardCharsets.UTF_8);
    IscsiPdu request = IscsiPdu.request(IscsiPdu.TEXT, IscsiPdu.FINAL, data);
    request.header().putInt(20, IscsiPdu.NO_TAG);
    send(request, true);
    StringBuilder all = new StringBuilder();
    while (true) {
      IscsiPdu answer = answer();
      all.append(new String(answer.data(), StandardCharsets.UTF_8));
      if ((answer.flags() & IscsiPdu.FINAL) != 0) {
        return List.of(all.toString().split("\0"));
      }
      IscsiPdu more = IscsiPdu.request(IscsiPdu.TEXT, IscsiPdu.FINAL, new byte[0]);
      more.header().putLong(8, answer.header().getLong(8)).putInt(20, answer.header().getInt(20));
      tag--;
      send(more, true);
    }
  }

  /** Drops the connection without a logout, as a machine that lost its power does. */
  public void drop() throws IOException {
    socket.close();
  }

  @Override
  public void close() throws IOException {
    if (!ended.isDone() && !socket.isClosed()) {
      IscsiPdu logout =
          IscsiPdu.request(IscsiPdu.LOGOUT | IscsiPdu.IMMEDIATE, IscsiPdu.FINAL, new byte[0]);
      try {
        send(logout, false);
        answer();
      } catch (IOException e) {
        // The target was faster; the session is over either way.
        ended.complete(null);
      }
    }
    socket.close();
  }

  private void login(Map<String, String> keys) throws IOException {
    // Straight into operational negotiation (stage 1) and on to full feature phase (stage 3).
    int flags = IscsiPdu.FINAL | 1 << 2 | 3;
    byte[] data = Initiator.encode(keys);
    for (int round = 0; round < 5; round++) {
      IscsiPdu request = IscsiPdu.request(IscsiPdu.LOGIN | IscsiPdu.IMMEDIATE, flags, data);
      // ISID of the random type: sessions of one name must differ in it.
      request.header().putLong(8, 0x8000L << 48 | (long) socket.getLocalPort() << 16);
      tag = 1;
      send(request, false);
      IscsiPdu answer = loginAnswer();
      int status = answer.header().getShort(36) & 0xffff;
      if (status != 0) {
        throw new Initiator.LoginRefused(status);
      }
      statusNumber = answer.header().getInt(24) + 1;
      if ((answer.flags() & 0x83) == 0x83) {
        return;
      }
      data = agreed(answer.data(), keys.keySet());
    }
    throw new IOException("the login does not come to an end");
  }

  /** Whatever the target proposes beside what it was asked, and does not merely declare. */
  private static byte[] agreed(byte[] proposed, Set<String> asked) {
    Map<String, String> keys = new LinkedHashMap<>();
    for (String pair : new String(proposed, StandardCharsets.UTF_8).split("\0")) {
      String key = pair.split("=", 2)[0];
      if (!asked.contains(key) && !DECLARED.contains(key) && pair.contains("=")) {
        keys.put(key, pair.split("=", 2)[1]);
      }
    }
    return Initiator.encode(keys);
  }

  private IscsiPdu loginAnswer() throws IOException {
    try {
      return IscsiPdu.read(in);
    } catch (EOFException | SocketException e) {
      throw new Initiator.LoginRefused(Initiator.LoginRefused.CLOSED);
    }
  }

  private ByteBuffer command(int lun, byte[] cdb, int expected) throws IOException {
    return exchange(lun, cdb, new byte[0], expected);
  }

  private ByteBuffer exchange(int lun, byte[] cdb, byte[] out, int expected) throws IOException {
    for (int attempt = 0; ; attempt++) {
      int way = out.length > 0 ? 0x20 : 0x40;
      IscsiPdu request = IscsiPdu.request(IscsiPdu.SCSI_COMMAND, IscsiPdu.FINAL | way | 1, out);
      request.header().put(9, (byte) lun).putInt(20, Math.max(out.length, expected));
      request.header().put(32, cdb);
      send(request, true);
      ByteBuffer result = ByteBuffer.allocate(expected);
      IscsiPdu last = answer();
      while (last.opcode() == IscsiPdu.DATA_IN) {
        result.put(last.header().getInt(40), last.data());
        if ((last.flags() & 1) != 0) {
          break;
        }
        last = answer();
      }
      int status = last.byteAt(3);
      if (status == 0) {
        return result;
      }
      // A fresh session's first command is told of the reset; that is no failure.
      boolean attention = status == 2 && last.data().length > 4 && (last.data()[4] & 0xf) == 6;
      if (!attention || attempt == 5) {
        throw new IOException("SCSI command " + cdb[0] + " failed, status " + status);
      }
    }
  }

  private synchronized void send(IscsiPdu request, boolean counts) throws IOException {
    request.header().putInt(16, tag++).putInt(24, commandNumber).putInt(28, statusNumber);
    if (counts) {
      commandNumber++;
    }
    request.write(socket.getOutputStream());
  }

  private IscsiPdu answer() throws IOException {
    try {
      long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(TIMEOUT_SECONDS);
      while (System.nanoTime() < end) {
        IscsiPdu answer = answers.poll(20, TimeUnit.MILLISECONDS);
        if (answer != null) {
          return answer;
        }
        if (ended.isDone() && answers.isEmpty()) {
          throw new IOException("the target ended the session");
        }
      }
      throw new IOException("no answer within " + TIMEOUT_SECONDS + " s");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException(e);
    }
  }

  private void startReader() {
    Thread reader = new Thread(this::readAll, "iscsi-reader");
    reader.setDaemon(true);
    reader.start();
  }

  private void readAll() {
    try {
      while (true) {
        IscsiPdu pdu = IscsiPdu.read(in);
        boolean hasStatus = pdu.opcode() != IscsiPdu.DATA_IN || (pdu.flags() & 1) != 0;
        if (hasStatus) {
          statusNumber = pdu.header().getInt(24) + 1;
        }
        if (pdu.opcode() == IscsiPdu.NOP_IN) {
          pong(pdu);
        } else {
          answers.put(pdu);
        }
      }
    } catch (IOException | InterruptedException e) {
      ended.complete(null);
    }
  }

  private synchronized void pong(IscsiPdu ping) throws IOException {
    if (ping.header().getInt(20) == IscsiPdu.NO_TAG) {
      return;
    }
    IscsiPdu pong =
        IscsiPdu.request(IscsiPdu.NOP_OUT | IscsiPdu.IMMEDIATE, IscsiPdu.FINAL, new byte[0]);
    pong.header().putLong(8, ping.header().getLong(8)).putInt(16, IscsiPdu.NO_TAG);
    pong.header().putInt(20, ping.header().getInt(20));
    pong.header().putInt(24, commandNumber).putInt(28, statusNumber);
    pong.write(socket.getOutputStream());
  }
}
