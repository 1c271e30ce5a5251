package io.incudal.agent.api;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.incudal.agent.bus.AgentException;
import io.incudal.agent.image.ImageMessages.Master;
import io.incudal.agent.image.ImageMessages.MasterList;
import io.incudal.agent.lun.LunMessages.Capabilities;
import io.incudal.agent.lun.LunMessages.Deleted;
import io.incudal.agent.lun.LunMessages.Exported;
import io.incudal.agent.lun.LunMessages.LunView;
import io.incudal.agent.lun.LunMessages.Scanned;
import io.incudal.agent.lun.LunMessages.TargetList;
import io.incudal.agent.lun.LunMessages.TargetView;
import io.vertx.core.buffer.Buffer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;

/** How replies look in JSON. Pure functions; the only place that knows the members' names. */
final class Views {
  private static final JsonFactory JSON = new JsonFactory();

  private Views() {}

  static Buffer exported(Exported reply) {
    return object(
        json -> {
          json.writeStringField("iqn", reply.iqn());
          json.writeStringField("backing", reply.backing());
        });
  }

  static Buffer deleted(Deleted reply) {
    return object(
        json -> {
          json.writeStringField("deleted", reply.iqn());
          json.writeBooleanField("delete_file", reply.deleteFile());
        });
  }

  static Buffer scanned(Scanned reply) {
    return object(
        json -> {
          json.writeArrayFieldStart("created");
          for (Scanned.Created created : reply.created()) {
            json.writeStartObject();
            json.writeStringField("iqn", created.iqn());
            json.writeBooleanField("cd", created.cd());
            json.writeEndObject();
          }
          json.writeEndArray();
          strings(json, "skipped", reply.skipped());
          if (!reply.failed().isEmpty()) {
            json.writeArrayFieldStart("failed");
            for (Scanned.Failed failed : reply.failed()) {
              json.writeStartObject();
              json.writeStringField("file", failed.file());
              json.writeStringField("detail", failed.detail());
              json.writeEndObject();
            }
            json.writeEndArray();
          }
        });
  }

  static Buffer targets(TargetList reply) {
    return write(
        json -> {
          json.writeStartArray();
          for (TargetView target : reply.targets()) {
            json.writeStartObject();
            if (target.tid().isPresent()) {
              json.writeNumberField("tid", target.tid().getAsInt());
            }
            json.writeStringField("iqn", target.iqn());
            json.writeArrayFieldStart("luns");
            for (LunView lun : target.luns()) {
              json.writeStartObject();
              json.writeNumberField("lun", lun.lun());
              json.writeStringField("backing", lun.backing().orElse(null));
              json.writeEndObject();
            }
            json.writeEndArray();
            json.writeEndObject();
          }
          json.writeEndArray();
        });
  }

  static Buffer masters(MasterList reply) {
    return object(
        json -> {
          json.writeArrayFieldStart("masters");
          for (Master master : reply.masters()) {
            json.writeStartObject();
            json.writeStringField("name", master.name());
            json.writeNumberField("size", master.size());
            json.writeNumberField("mtime", master.mtime());
            json.writeEndObject();
          }
          json.writeEndArray();
        });
  }

  static Buffer capabilities(Capabilities reply, String version, List<String> features) {
    return object(
        json -> {
          json.writeStringField("backend", reply.backend());
          json.writeBooleanField("cd", reply.cd());
          json.writeStringField("persistent", reply.persistent());
          json.writeStringField("base_iqn", reply.baseIqn());
          json.writeStringField("fs_type", reply.fsType());
          json.writeStringField("clone", reply.cloneMode());
          json.writeStringField("empty_disk", reply.emptyDisk());
          json.writeStringField("version", version);
          strings(json, "features", features);
        });
  }

  static Buffer status(String word) {
    return object(json -> json.writeStringField("status", word));
  }

  /** A problem document; {@code detail} comes first because that is what people look for. */
  static Buffer problem(AgentException problem) {
    return object(
        json -> {
          json.writeStringField("detail", problem.getMessage());
          json.writeStringField("code", problem.code().word());
          json.writeNumberField("status", problem.code().status());
          json.writeStringField("title", problem.code().title());
          for (Map.Entry<String, Object> member : problem.members().entrySet()) {
            json.writeFieldName(member.getKey());
            value(json, member.getValue());
          }
        });
  }

  private static void value(JsonGenerator json, Object value) throws IOException {
    if (value instanceof Iterable<?> items) {
      json.writeStartArray();
      for (Object item : items) {
        value(json, item);
      }
      json.writeEndArray();
    } else if (value instanceof Boolean truth) {
      json.writeBoolean(truth);
    } else if (value instanceof Number number) {
      json.writeNumber(number.toString());
    } else {
      json.writeString(value == null ? null : value.toString());
    }
  }

  private static void strings(JsonGenerator json, String name, List<String> values)
      throws IOException {
    json.writeArrayFieldStart(name);
    for (String value : values) {
      json.writeString(value);
    }
    json.writeEndArray();
  }

  private static Buffer object(Body members) {
    return write(
        json -> {
          json.writeStartObject();
          members.write(json);
          json.writeEndObject();
        });
  }

  private static Buffer write(Body body) {
    var bytes = new ByteArrayOutputStream(256);
    try (JsonGenerator json = JSON.createGenerator(bytes)) {
      body.write(json);
    } catch (IOException impossible) {
      throw new UncheckedIOException("writing to memory", impossible);
    }
    return Buffer.buffer(bytes.toByteArray());
  }

  private interface Body {
    void write(JsonGenerator json) throws IOException;
  }
}
